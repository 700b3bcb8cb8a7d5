import FlatCachePersistence
import Foundation

extension FileProblem {
    /// Explains why a persisted value could not be read or written.
    init(file: URL, error: any Error) {
        let name = file.lastPathComponent
        let cause = (error as? PersistenceError)?.underlying ?? error
        switch cause {
        case let error as DecodingError: self.init(file: name, decodingError: error)
        default: self.init(file: name, place: nil, reason: "\(cause).")
        }
    }
}
