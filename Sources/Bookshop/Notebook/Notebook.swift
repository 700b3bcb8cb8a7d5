import FlatCachePersistence
import Foundation

/// The data that a visit stores for the next: two files that the user can edit.
struct Notebook: Sendable {
    let folder: URL
    let settingsFile: URL
    let orderFile: URL

    @Persisted var settings: Settings

    /// The draft of an order, or `nil` if there is none; setting it to `nil` deletes the file.
    @Persisted var order: OrderDraft?

    /// Opens the notebook in a folder that need not exist before the first write.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - report: A closure that receives the errors of calls that can't throw.
    init(folder: URL, report: @escaping PersistenceErrorHandler) {
        let settingsFile = folder.appending(path: "settings.json")
        let orderFile = folder.appending(path: "order.json")
        self.folder = folder
        self.settingsFile = settingsFile
        self.orderFile = orderFile
        _settings = Persisted(
            file: settingsFile,
            transformer: Self.editableJSON(),
            defaultValue: Settings(),
            // Creates a file for the user to edit.
            defaultValuePersistBehaviour: .persistWhenNil,
            onError: report
        )
        _order = Persisted(
            file: orderFile,
            transformer: Self.editableJSON(),
            onError: report
        )
    }

    private static func editableJSON<Value: Codable & Sendable>()
        -> ChainedTransformer<JSONTransformer<Value>, JSONText>
    {
        JSONTransformer(configureEncoder: { $0.outputFormatting.insert(.prettyPrinted) })
            .append(JSONText())
    }
}
