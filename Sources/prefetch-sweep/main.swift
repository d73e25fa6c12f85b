// The program: its arguments in, one command, its exit status out.

import Sweep

let status = Tool.run(Array(CommandLine.arguments.dropFirst()))
exitProcess(status)
