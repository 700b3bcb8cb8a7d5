// A service that stores its settings in a file. Two wrappers on one file agree, and the file
// contains the assigned settings.

import FlatCachePersistence
import Foundation

struct Settings: Codable, Equatable, Sendable {
    var greeting = "Hello"
    var visits = 0
}

let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let file = folder.appending(path: "settings.json")
defer { try? FileManager.default.removeItem(at: folder) }

struct Service: Sendable {
    @Persisted(file: file, transformer: JSONTransformer()) var settings = Settings()
}

let service = Service()
let other = Service()
let listening = other.$settings.addUpdateListener(delivery: .inline) { result in
    precondition((try? result.get().newValue.visits) == 1, "An update must bring the new value.")
}
precondition(service.settings == Settings(), "Nothing is stored yet.")
service.settings.visits += 1
precondition(other.settings.visits == 1, "Two wrappers on one file must agree.")
let stored = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: file))
precondition(stored == other.settings, "The file must hold what was set.")
listening.dispose()
print("PersistenceClient: all as promised")
