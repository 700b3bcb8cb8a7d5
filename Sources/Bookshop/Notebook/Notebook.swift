import FlatCachePersistence
import Foundation

/// What one visit leaves for the next: two files, which a person may edit.
struct Notebook: Sendable {
    let settingsFile: URL
    let orderFile: URL

    @Persisted var settings: Settings

    /// Nil as long as there is no draft; setting it to nil deletes the file.
    @Persisted var order: OrderDraft?

    /// Opens the notebook in a folder, which need not be there before something is kept in it.
    ///
    /// - Parameter report: Gets what goes wrong where nobody can be thrown to.
    init(folder: URL, report: @escaping @Sendable (FileProblem) -> Void) {
        let settingsFile = folder.appending(path: "settings.json")
        let orderFile = folder.appending(path: "order.json")
        self.settingsFile = settingsFile
        self.orderFile = orderFile
        _settings = Persisted(
            file: settingsFile,
            transformer: Self.editableJSON(),
            defaultValue: Settings(),
            // So that there is a file to edit.
            defaultValuePersistBehaviour: .persistWhenNil,
            onError: { report(FileProblem(file: settingsFile, error: $0)) }
        )
        _order = Persisted(
            file: orderFile,
            transformer: Self.editableJSON(),
            onError: { report(FileProblem(file: orderFile, error: $0)) }
        )
    }

    private static func editableJSON<Value: Codable & Sendable>()
        -> ChainedTransformer<JSONTransformer<Value>, JSONText>
    {
        JSONTransformer(configureEncoder: { $0.outputFormatting.insert(.prettyPrinted) })
            .append(JSONText())
    }
}
