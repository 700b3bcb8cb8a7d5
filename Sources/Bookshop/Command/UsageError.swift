/// An error in the arguments of a command.
enum UsageError: Error, Equatable, CustomStringConvertible {
    case unknownOption(String)
    case missingDataFolder
    case surplusFolder(String)

    var description: String {
        switch self {
        case .unknownOption(let option):
            "There is no option \(option)."
        case .missingDataFolder:
            "The option --data needs a folder behind it."
        case .surplusFolder(let folder):
            "There can be only one folder of responses: '\(folder)' is one too many."
        }
    }
}
