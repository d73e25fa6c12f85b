// Help, completions, the man page, `init` and the version.

import Foundation
import TestSupport
import Testing

@testable import SweepTool

@Suite struct HelpTests {
  static let commands = Tool.commands.map { $0.name }
  static let templates = SweepTemplate.all.map(\.name)

  @Test(arguments: commands) func everyCommandAndOptionHasHelpThatFitsTheWidth(_ name: String) throws {
    let command = try #require(Tool.commands.first { $0.name == name })
    #expect(command.help.options.allSatisfy { $0.text.hasSuffix(".") }, "\(name): a sentence for each option")
    for width in [60, 80, 120] {
      let lines = HelpPage(of: command).text(width: width).split(separator: "\n")
      // A usage line may hold one word that is longer.
      #expect(lines.allSatisfy { $0.count <= width || !$0.contains(#/\S +\S/#) }, "\(name) at \(width)")
    }
    let result = try BuiltTool.run([name, "--help"])
    #expect(result.status == 0 && result.output.hasPrefix("usage: prefetch-sweep \(name)"), "\(result.errors)")
    #expect(try BuiltTool.run(["help", name]).output == result.output)
  }

  @Test func topicsAreExplainedAndUnknownOnesRefused() throws {
    for (topic, word) in [("sweep-file", "user.dwell"), ("verdicts", "inconclusive"), ("exit-status", "143")] {
      let result = try BuiltTool.run(["help", topic])
      #expect(result.status == 0 && result.output.contains(word), "\(topic)")
    }
    let result = try BuiltTool.run(["help", "verdict"])
    #expect(result.status == 2 && result.errors.contains("did you mean \"verdicts\"?"), "\(result.errors)")
  }

  @Test func theVersionHasModelBuildAndCommit() throws {
    let result = try BuiltTool.run(["--version"])
    #expect(
      result.output.wholeMatch(of: #/prefetch-sweep \d+\.\d+\.\d+ \(model \d+, build \S+, commit [0-9a-z]+\)\n/#) != nil, "\(result.output)"
    )
  }

  // MARK: init

  @Test(arguments: templates) func everyTemplateRuns(_ template: String) throws {
    try BuiltTool.withFolder { folder in
      let written = try BuiltTool.run(["init", "--template", template], in: folder)
      #expect(written.status == 0 && written.output.contains("prefetch-sweep "), "\(written.errors)")
      let file = "\(template).json5"
      #expect(try BuiltTool.run(["run", file, "--list"], in: folder).status == 0)
      let short = ["--repeats", "1", "--quiet", "--output", "r"]
      let items = template == "background" ? [] : ["--set", "feed.items=10", "--set", "user.scroll=5", "--set", "backend=emulated"]
      let run = try BuiltTool.run(["run", file] + short + items, in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let again = try BuiltTool.run(["init", "--template", template], in: folder)
      #expect(again.status == 2 && again.errors == "\(file): exists already; name another file, or remove it first\n")
    }
  }

  @Test func aSweepIsReadFromStandardInput() throws {
    try BuiltTool.withFolder { folder in
      let tool = BuiltTool.path.path
      let list = try BuiltTool.shell("'\(tool)' init - | '\(tool)' run - --list", in: folder)
      #expect(list.status == 0 && list.output.contains("baseline"), "\(list.errors)")
      let bad = try BuiltTool.shell("echo '{ sweep: 1 }' | '\(tool)' run -", in: folder)
      #expect(bad.status == 2 && bad.errors.contains("-:1:10: sweep: is the number 1"), "\(bad.errors)")
      let run = "'\(tool)' init - | '\(tool)' run - --repeats 1 --set feed.items=10 --set user.scroll=5 --quiet"
      #expect(try BuiltTool.shell(run, in: folder).status == 0)
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("Results/feed/report.md").path))
    }
  }

  // MARK: Shells

  @Test(.enabled(if: has("bash"), "bash is not installed")) func bashCompletes() throws {
    try BuiltTool.withFolder { folder in
      let script = """
        source <(prefetch-sweep completion bash)
        try() { COMP_WORDS=(prefetch-sweep "$@"); COMP_CWORD=$#; _prefetch_sweep; echo "${COMPREPLY[*]}"; }
        touch a.json5; try r; try run --re; try run --set user.sw; try run a; try network --profile 'WPT 4'; try help verd; try list m
        """
      let result = try BuiltTool.shell(script, in: folder)
      let lines = result.output.components(separatedBy: "\n")
      let expected = [
        "run report", "--repeats --results --resume-anyway --repetition", "user.swipe=", "a.json5", "WPT\\ 4G", "verdicts", "metrics",
      ]
      #expect(lines.dropLast() == expected[...], "\(result.errors)")
    }
  }

  @Test(.enabled(if: has("fish"), "fish is not installed")) func fishCompletes() throws {
    try BuiltTool.withFolder { folder in
      let script = """
        export PATH='\(BuiltTool.path.deletingLastPathComponent().path)':$PATH
        prefetch-sweep completion fish > c.fish; touch a.json5
        for words in r 'run --re' 'run --set user.sw' 'run a' 'network --profile WPT\\ 4' 'help verd' 'list m'; do
          fish -c "source c.fish; complete -C 'prefetch-sweep $words'" | cut -f 1 | paste -sd ' ' -
        done
        """
      let result = try BuiltTool.shell(script, in: folder)
      let expected = [
        "report run", "--repeats --repetition --results --resume-anyway", "user.swipe=", "a.json5", "WPT 4G", "verdicts", "metrics",
      ]
      #expect(result.output.components(separatedBy: "\n").dropLast() == expected[...], "\(result.errors)")
    }
  }

  @Test(.enabled(if: has("zsh"), "zsh is not installed")) func zshCompletes() throws {
    try BuiltTool.withFolder { folder in
      // A terminal of its own, because zsh completes nowhere else; a word with one completion is completed at the first tab.
      let script = """
        export PATH='\(BuiltTool.path.deletingLastPathComponent().path)':$PATH
        mkdir functions; prefetch-sweep completion zsh > functions/_prefetch-sweep; touch a.json5
        cat > script.zsh <<'END'
        zmodload zsh/zpty
        for words in ch 'run --res' 'run --set user.sw' 'run a' 'help verd' 'list m'; do
          zpty t zsh -f -i
          zpty -w t "PS1=; fpath=($PWD/functions \\$fpath); autoload -Uz compinit; compinit -u -D; stty columns 200; echo READ''Y"
          zpty -r t start '*READY*'
          zpty -w -n t "echo prefetch-sweep >/dev/null; prefetch-sweep $words"$'\\t'
          found=
          for try in {1..40}; do sleep 0.1; while zpty -r -t t more; do found+=$more; done; done
          print -r -- "$words: $found" | tr -d '\\r\\n'; print
          zpty -d t
        done
        END
        zsh -f script.zsh
        """
      let result = try BuiltTool.shell(script, in: folder)
      for word in ["check", "--res", "user.swipe", "a.json5", "verdicts", "metrics"] { #expect(result.output.contains(word), "\(result)") }
    }
  }

  @Test func theManPageIsSound() throws {
    let page = try BuiltTool.run(["man"])
    #expect(page.status == 0)
    for command in Self.commands { #expect(page.output.contains("\n.Ss \(command) "), "\(command)") }
    guard Self.has("mandoc") else { return }
    try BuiltTool.withFolder { folder in
      let script = "'\(BuiltTool.path.path)' man > p.1; mandoc -T lint -W warning p.1; mandoc -T utf8 p.1 | col -b | grep -c .; true"
      let result = try BuiltTool.shell(script, in: folder)
      #expect(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 300, "\(result.output)")
    }
  }

  private static func has(_ program: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }
}
