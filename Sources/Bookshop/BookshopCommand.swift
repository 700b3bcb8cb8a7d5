import Foundation

/// The tour of FlatCache that a newcomer runs first: `swift run Bookshop [folder of responses]`.
///
/// What a person wants to see goes to standard output, and only that, so that it can be compared
/// with a file; files that had to be skipped are reported on standard error.
@main
enum BookshopCommand {
    /// What the process tells the shell that started it.
    enum ExitStatus: Int32 {
        case success = 0
        case somethingSkipped = 1
        case wrongUsage = 64
    }

    static let usage = """
        usage: swift run Bookshop [folder]

        Ingests the JSON responses of a bookshop's API into a cache, in the order of their
        names, and shows what the cache makes of them. Without a folder it takes the responses
        that it ships with. These are in Sources/Bookshop/Responses: copy their shape for your
        own. The exit status is 1 if a response had to be skipped.
        """

    static func main() {
        let status = run(arguments: Array(CommandLine.arguments.dropFirst()), output: .standard)
        exit(status.rawValue)
    }

    /// Runs the tour with the arguments that follow the executable's name.
    static func run(arguments: [String], output: Output) -> ExitStatus {
        if arguments.contains("--help") || arguments.contains("-h") {
            output.line(usage)
            return .success
        }
        guard arguments.count <= 1 else {
            output.problem(usage)
            return .wrongUsage
        }
        guard let folder = arguments.first.map({ URL(filePath: $0) }) ?? shippedResponses else {
            output.problem("The responses that ship with Bookshop are missing from its bundle.")
            return .somethingSkipped
        }
        return run(folder: folder, output: output)
    }

    /// The folder of responses that was built into the executable's bundle.
    static var shippedResponses: URL? {
        Bundle.module.url(forResource: "Responses", withExtension: nil)
    }

    private static func run(folder: URL, output: Output) -> ExitStatus {
        do {
            let reading = try ResponseFolder(url: folder).read()
            for problem in reading.problems {
                output.problem(problem.description)
            }
            Tour(reading: reading, output: output).run()
            return reading.problems.isEmpty ? .success : .somethingSkipped
        } catch {
            output.problem(error.description)
            return .somethingSkipped
        }
    }
}
