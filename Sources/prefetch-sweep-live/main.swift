// The tool with one more way to make a run: a real client, in real time.

import SweepTool

SweepTool.main()
