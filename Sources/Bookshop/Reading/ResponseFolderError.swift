/// The reason why a folder contains no responses.
enum ResponseFolderError: Error, Equatable, CustomStringConvertible {
    case missing(String)
    case notAFolder(String)
    case unreadable(String, reason: String)
    case empty(String)

    var description: String {
        switch self {
        case .missing(let path): "There is no folder \(path)."
        case .notAFolder(let path): "\(path) is not a folder."
        case .unreadable(let path, let reason): "The folder \(path) cannot be read: \(reason)"
        case .empty(let path): "There are no .json files in \(path)."
        }
    }
}
