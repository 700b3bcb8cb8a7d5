import FlatCachePersistence
import Foundation

/// The tour of FlatCache that a newcomer runs first: `swift run Bookshop`.
///
/// It remembers: a second run finds the draft of an order, and the setting, that the first has left in
/// two files, see `Notebook`. With `--watch` it stays and tells at once what somebody else makes of
/// these files. `--help` shows all options.
///
/// What a person wants to see goes to standard output, and only that, so that it can be compared
/// with a file; what could not be read or kept is reported on standard error.
@main
enum BookshopCommand {
    /// What the process tells the shell that started it.
    enum ExitStatus: Int32 {
        case success = 0
        /// Something could not be read or kept.
        case somethingSkipped = 1
        case wrongUsage = 64
    }

    static let usage = """
        usage: swift run Bookshop [folder] [--data folder] [--sort title|year] [--watch]

        Ingests the JSON responses of a bookshop's API into a cache, in the order of their
        names, and shows what the cache makes of them. Without a folder it takes the responses
        that it ships with. These are in Sources/Bookshop/Responses: copy their shape for your
        own. Then it shows what it keeps for its next run: a setting, and the draft of an order.

            --data folder      keeps that here, in settings.json and order.json, instead of
                               \(BookshopOptions.defaultData.path(percentEncoded: false))
            --sort title|year  sorts orders like this, now and from now on
            --watch            stays, and tells at once of each edit of the two files
            --help             shows this

        The exit status is 1 if a response had to be skipped, or if something could not be
        kept, or read again; 64 if the arguments are wrong.
        """

    static func main() {
        let status = run(arguments: Array(CommandLine.arguments.dropFirst()), output: .standard)
        exit(status.rawValue)
    }

    /// Does what the arguments that follow the executable's name ask for.
    ///
    /// - Parameter end: Waits for the end of a watch.
    static func run(
        arguments: [String],
        output: Output,
        untilEnd end: () -> Void = Ending.wait
    ) -> ExitStatus {
        do {
            let options = try BookshopOptions(arguments: arguments)
            guard !options.asksForHelp else {
                output.line(usage)
                return .success
            }
            return run(options, output: output, untilEnd: end)
        } catch {
            output.problem("\(error)\n\n\(usage)")
            return .wrongUsage
        }
    }

    /// The folder of responses that was built into the executable's bundle.
    static var shippedResponses: URL? {
        Bundle.module.url(forResource: "Responses", withExtension: nil)
    }

    private static func run(
        _ options: BookshopOptions,
        output: Output,
        untilEnd end: () -> Void
    ) -> ExitStatus {
        guard let folder = options.responses ?? shippedResponses else {
            output.problem("The responses that ship with Bookshop are missing from its bundle.")
            return .somethingSkipped
        }
        do {
            let reading = try ResponseFolder(url: folder).read()
            for problem in reading.problems {
                output.problem("Skipped \(problem)")
            }
            let notebook = Notebook(folder: options.data) { output.problem($0.description) }
            let isSet = change(notebook, as: options, output: output)
            let isKept = Tour(reading: reading, notebook: notebook, output: output).run()
            if options.watches {
                NotebookWatch(notebook: notebook, output: output).run(until: end)
            }
            return reading.problems.isEmpty && isSet && isKept ? .success : .somethingSkipped
        } catch {
            output.problem(error.description)
            return .somethingSkipped
        }
    }

    /// Changes the setting if the arguments say so.
    ///
    /// - Returns: Whether it is as it should be.
    private static func change(
        _ notebook: Notebook,
        as options: BookshopOptions,
        output: Output
    ) -> Bool {
        guard let sorting = options.sorting else { return true }
        let isSet: Void? = output.reportingProblems(with: notebook.settingsFile) {
            try notebook.$settings.update { $0.sorting = sorting }
        }
        return isSet != nil
    }
}
