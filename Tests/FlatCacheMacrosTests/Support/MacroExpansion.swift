#if Macros
/// The plug-in's answer: an extension, or diagnostics.
struct MacroExpansion: Decodable {
    let expandedSource: String?
    let diagnostics: [Diagnostic]

    struct Diagnostic: Decodable {
        let message: String
        let position: Position
        let fixIts: [FixIt]
    }

    struct Position: Decodable {
        let offset: Int
    }

    struct FixIt: Decodable {
        let message: String
        let changes: [Change]
    }

    struct Change: Decodable {
        let range: Range
        let newText: String
    }

    struct Range: Decodable {
        let startOffset: Int
        let endOffset: Int
    }
}
#endif
