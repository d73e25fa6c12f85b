// The program: nothing but the tool, with the prefetchers it comes with.

import SweepTool

SweepTool.main()
