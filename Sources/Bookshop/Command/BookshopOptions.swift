import Foundation

/// The options in the arguments of the command.
struct BookshopOptions: Equatable {
    /// The folder of responses, or `nil` for the folder that the command ships with.
    var responses: URL?

    /// The folder of the visitor's notebook.
    var data = Self.defaultData

    /// The new sort order of orders, if the arguments contain one.
    var sorting: Settings.Sorting?

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
                data = URL(filePath: try Self.value(of: argument, "a folder", &remaining))
            case "--sort":
                sorting = try Self.sorting(argument, &remaining)
            case let option where option.hasPrefix("-"):
                throw .unknownOption(option)
            default:
                guard responses == nil else { throw .surplusFolder(argument) }
                responses = URL(filePath: argument)
            }
        }
    }

    private static func value(
        of option: String,
        _ expected: String,
        _ remaining: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        // An empty path, for example from an unset variable, would mean the current folder.
        guard let value = remaining.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
            throw .missingValue(option: option, expected: expected)
        }
        return value
    }

    private static func sorting(
        _ option: String,
        _ remaining: inout ArraySlice<String>
    ) throws(UsageError) -> Settings.Sorting {
        let expected = Settings.Sorting.allCases.map(\.rawValue).joined(separator: " or ")
        let value = try value(of: option, expected, &remaining)
        guard let sorting = Settings.Sorting(rawValue: value) else {
            throw .unknownValue(option: option, value: value, expected: expected)
        }
        return sorting
    }
}
