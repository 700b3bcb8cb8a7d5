import Testing

/// Checks the files of the checkout: their places, their lengths and the links between them.
struct TreeTests {
    private let checkout = Checkout()

    @Test func topLevelHoldsOnlyTheKnownEntries() throws {
        // Git has its own entry, and ignores the three that a build can put there.
        let others = Set(try checkout.names())
            .subtracting([".git", ".build", ".swiftpm", "Package.resolved"])
        #expect(
            others == [
                ".ci", ".github", ".gitignore", ".swift-format", "Benchmarks", "Package.swift",
                "README.md", "Sources", "Tests",
            ]
        )
    }

    @Test func generatedFilesAreNotTracked() throws {
        guard let files = try checkout.trackedFiles("*.build/*", "*.swiftpm/*", "*Package.resolved")
        else { return }
        #expect(files == [])
        // The patterns select tracked files.
        #expect(try checkout.trackedFiles("*Package.swift")?.contains("Package.swift") == true)
    }

    @Test func filesAreShort() throws {
        #expect(try checkout.lines(of: "README.md").count <= 150)
        let files = try checkout.swiftFiles()
        #expect(files.count > 1_000)
        for file in files {
            let lines = try checkout.lines(of: file)
            #expect(lines.count <= 400, "\(file)")
            for (index, line) in lines.enumerated() where isLongComment(line) {
                Issue.record("\(file):\(index + 1): The comment is longer than 100 columns.")
            }
        }
    }

    private func isLongComment(_ line: Substring) -> Bool {
        guard line.utf8.count > 100, line.count > 100 else { return false }
        let text = line.drop { $0 == " " }
        // The compiler's messages that `.ci/client/Refused` quotes stay on one line.
        return text.hasPrefix("//") && !text.hasPrefix("// error:") && !text.hasPrefix("// flags:")
    }

    @Test func commentsAreMeasuredInColumns() {
        let text = String(repeating: "ü", count: 97)
        #expect(!isLongComment("// \(text)"))
        #expect(isLongComment("    // \(text)"))
        #expect(!isLongComment("// error: \(text)"))
        #expect(!isLongComment("let text = \"\(text)\""))
    }

    @Test func linksOfTheREADMELeadToFiles() throws {
        let links = try checkout.text(of: "README.md")
            .matches(of: /\]\(([^)# ]+)[^)]*\)/)
            .map { String($0.output.1) }
            .filter { !$0.contains(":") }
        #expect(links.count > 10)
        #expect(links.filter { !checkout.contains($0) } == [])
    }
}
