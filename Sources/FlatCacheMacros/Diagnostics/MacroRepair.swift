#if Macros
import SwiftDiagnostics

/// A change that an editor proposes for a problem.
enum MacroRepair: FixItMessage {
    case annotation
    case variable

    var message: String {
        switch self {
        case .annotation: "add a type annotation"
        case .variable: "change 'let' to 'var'"
        }
    }

    var fixItID: MessageID { MessageID(domain: "FlatCacheMacros", id: "\(self)") }
}
#endif
