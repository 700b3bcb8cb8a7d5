import FlatCachePersistence
import FlatCacheTesting
import Foundation
import Testing

struct StorageConformanceTests {
    @Test func memoryMeetsAllRequirements() async throws {
        let storage = InMemoryStorage<String, PropertyListValue>()
        let failures = try await onOwnThread {
            StorageConformance.check(
                storage,
                key: "a",
                otherKey: "b",
                values: (.integer(1), .string("x")),
                another: { storage },
                deadline: 300
            )
        }
        #expect(failures.isEmpty, "\(failures)")
        #expect(storage.keys.isEmpty)
    }

    @Test func filesMeetAllRequirements() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("conformance-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let failures = try await onOwnThread {
            StorageConformance.check(
                FileStorage(),
                key: folder.appendingPathComponent("a"),
                otherKey: folder.appendingPathComponent("b"),
                values: (Data("1".utf8), Data()),
                another: { FileStorage() },
                deadline: 300
            )
        }
        #expect(failures.isEmpty, "\(failures)")
    }
}
