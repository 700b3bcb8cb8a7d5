import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Tests of the descriptions of persisters and of the types that use them, and of `dump`.
struct DescriptionsTests {
    private struct Containers: KeyValueStorage {
        let storage = InMemoryStorage<String, PropertyListValue>()
        var count: KeyValueContainer<Int> { makeContainer(key: "count", defaultValue: 0) }
    }

    private func expectOneLine(_ value: Any, _ description: String) {
        var text = ""
        dump(value, to: &text)
        #expect(text.split(separator: "\n").count == 1, "\(text)")
        #expect("\(value)" == description)
    }

    @Test func descriptionsNameTheTypeTheKeyAndTheStorage() {
        let memory = InMemoryStorage<String, Int>()
        let persister = Persister(key: "count", storedBy: memory, defaultValue: 0)
        expectOneLine(persister, "Persister<Int> of 'count' in memory")
        expectOneLine(persister.observable, "Observed Persister<Int> of 'count' in memory")
        @Persisted(key: "count", storedBy: memory) var count = 0
        expectOneLine(_count, "Persisted<Int> of 'count' in memory")
        expectOneLine(Containers().count, "Persister<Int> of 'count' in memory")
        expectOneLine(memory, "memory")
    }

    @Test func descriptionDoesNotReadTheValue() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("count.json")
        try Data("no number".utf8).write(to: file)
        let errors = Recorder<any Error>()
        let persister = Persister<Int?>(
            key: file,
            storedBy: FileStorage(),
            transformer: JSONTransformer(),
            onError: { errors.append($0) }
        )
        expectOneLine(
            persister,
            "Persister<Optional<Int>> of '\(file.standardizedFileURL.path)' in the file system"
        )
        #expect(errors.count == 0)
    }

    @Test func persistentObjectIsOneLine() throws {
        let folder = try TemporaryFolder()
        let object = PersistentObject<[Int]>(file: folder.file("object.json"))
        #expect("\(object)".contains("object.json"))
        expectOneLine(object, "\(object)")
        expectOneLine(object.observable, "Observed \(object)")
    }
}
