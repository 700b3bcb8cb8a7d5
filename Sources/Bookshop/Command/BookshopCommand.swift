import FlatCachePersistence
import Foundation

/// The tour of FlatCache for newcomers: `swift run Bookshop`.
///
/// The command keeps the draft of an order and a setting in two files, and finds them again in its
/// next run; see `Notebook`. With `--watch` it continues to run and reports each edit of these
/// files. `--help` shows all options.
///
/// Standard output contains only the tour, so that a test can compare it with a file. Read and
/// write errors go to standard error.
@main
enum BookshopCommand {
    enum ExitStatus: Int32 {
        case success = 0
        /// A file could not be read or written.
        case somethingSkipped = 1
        case wrongUsage = 64
    }

    static let usage = """
        usage: swift run Bookshop [folder] [--data folder] [--watch]

        Requests the books of a bookshop's API, ingests the responses into a cache, and shows
        which screens are notified. Each response is a file: books-after-page-2.json for the
        request GET books?after=page-2. Without a folder, the command reads the files of
        Sources/Bookshop/Responses: copy and edit them for your own. Then it shows what it stores
        for the next run: a setting, and the draft of an order.

            --data folder  stores settings.json and order.json in this folder instead of
                           \(BookshopOptions.defaultData.path(percentEncoded: false))
            --watch        keeps running, and reports each edit of the two files
            --help         prints this text

        The exit status is 1 if a response can't be decoded, or if something can't be stored or
        read again; 64 if the arguments are wrong.
        """

    static func main() async {
        let status = await run(
            arguments: Array(CommandLine.arguments.dropFirst()),
            output: .standard
        )
        exit(status.rawValue)
    }

    /// Runs the command with the arguments that follow the executable's name.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - output: The output of the tour.
    ///   - end: A closure that waits for the end of a watch: for the next line of the input.
    static func run(
        arguments: [String],
        output: Output,
        untilEnd end: () -> Void = { _ = readLine() }
    ) async -> ExitStatus {
        do {
            let options = try BookshopOptions(arguments: arguments)
            guard !options.asksForHelp else {
                output.line(usage)
                return .success
            }
            return await run(options, output: output, untilEnd: end)
        } catch {
            output.error("\(error)\n\n\(usage)")
            return .wrongUsage
        }
    }

    /// The folder of responses in the executable's bundle.
    static var shippedResponses: URL? {
        Bundle.module.url(forResource: "Responses", withExtension: nil)
    }

    private static func run(
        _ options: BookshopOptions,
        output: Output,
        untilEnd end: () -> Void
    ) async -> ExitStatus {
        guard let folder = options.responses ?? shippedResponses else {
            output.error("The responses that ship with Bookshop are missing from its bundle.")
            return .somethingSkipped
        }
        let tour = Tour(api: API(folder: folder, output: output), output: output)
        let notebook = Notebook(folder: options.data) { output.error($0.description) }
        let isComplete = await tour.run(keeping: notebook)
        if options.watches { NotebookWatch(notebook: notebook, output: output).run(until: end) }
        return isComplete ? .success : .somethingSkipped
    }
}
