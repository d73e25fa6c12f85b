// The tool with one more way to make a run: a real client, in real time.

import LiveClient
import SweepTool

SweepTool.main(live: { settings in LiveExecutor(settings) })
