import Foundation

/// The options in the arguments of the command.
struct BookshopOptions: Equatable {
    /// The folder of responses, or `nil` for the folder that the command ships with.
    var responses: URL?

    /// The folder of the visitor's notebook.
    var data = Self.defaultData

    var watches = false
    var asksForHelp = false

    /// The folder for the data of applications in the user's home folder.
    ///
    /// This is `$XDG_DATA_HOME` or `~/.local/share` on Linux, and `~/Library/Application Support`
    /// on a Mac.
    static var defaultData: URL {
        let folder = FileManager.default
            .urls(for: .applicationSupportDirectory, in: .userDomainMask)
            .first
        return (folder ?? URL(filePath: NSHomeDirectory())).appending(path: "Bookshop")
    }

    init() {}

    /// Parses the arguments that follow the executable's name.
    init(arguments: [String]) throws(UsageError) {
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            switch argument {
            case "--help", "-h": asksForHelp = true
            case "--watch": watches = true
            case "--data":
                // An empty path, for example from an unset variable, would mean the current folder.
                guard let path = remaining.popFirst(), !path.isEmpty, !path.hasPrefix("--") else {
                    throw .missingDataFolder
                }
                data = URL(filePath: path)
            case let option where option.hasPrefix("-"):
                throw .unknownOption(option)
            default:
                guard responses == nil else { throw .surplusFolder(argument) }
                responses = URL(filePath: argument)
            }
        }
    }
}
