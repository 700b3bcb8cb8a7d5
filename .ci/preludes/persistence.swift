// The models of a bookshop and values of them, which examples in the documentation of persisted
// values can use without declaring them.
import FlatCachePersistence
import Foundation

enum Theme: String, Codable, Sendable {
    case light
    case dark
}

struct Book: Codable, Equatable, Sendable {
    var id: Int
    var title: String
}

struct Order: Codable, Equatable, Sendable {
    var books: [Book] = []
    var note: String?
}

struct Account: Codable, Equatable, Sendable {
    var name: String
    var token: String
}

let folder = URL(fileURLWithPath: "/var/lib/bookshop", isDirectory: true)
let draftFile = folder.appendingPathComponent("draft.json")
let settingsFile = folder.appendingPathComponent("settings.json")

struct Settings: Sendable {
    @Persisted(key: "theme", userDefaults: .standard) var theme = "light"
    @Persisted(key: "lastUser", userDefaults: .standard) var lastUser: String?
    @Persisted(file: draftFile, transformer: JSONTransformer()) var draft = Order()
}

/// A custom storage, with functions in place of the system's calls.
final class Keychain: ChannelledStorage {
    let channels = StorageChannels<String, Data>()

    func storeValue(_ value: Data, key: String) throws { try addOrUpdate(value, key) }
    func removeValue(for key: String) throws { try delete(key) }
    func retrieveValue(for key: String) throws -> Data? { try find(key) }
}

func addOrUpdate(_ value: Data, _ key: String) throws {}
func delete(_ key: String) throws {}
func find(_ key: String) throws -> Data? { nil }

let storage = InMemoryStorage<String, PropertyListValue>()
let settings = Settings()
let book = Book(id: 1, title: "A Wizard of Earthsea")
let order = Order(books: [book])
