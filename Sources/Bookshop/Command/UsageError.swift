/// An error in the arguments of a command.
enum UsageError: Error, Equatable, CustomStringConvertible {
    case unknownOption(String)
    case missingValue(option: String, expected: String)
    case unknownValue(option: String, value: String, expected: String)
    case surplusFolder(String)

    var description: String {
        switch self {
        case .unknownOption(let option):
            "There is no option \(option)."
        case .missingValue(let option, let expected):
            "The option \(option) needs \(expected) behind it."
        case .unknownValue(let option, let value, let expected):
            "The option \(option) takes \(expected), not '\(value)'."
        case .surplusFolder(let folder):
            "There can be only one folder of responses: '\(folder)' is one too many."
        }
    }
}
