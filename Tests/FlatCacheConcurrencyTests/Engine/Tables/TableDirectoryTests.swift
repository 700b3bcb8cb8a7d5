import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct TableDirectoryTests {
    private protocol Tag {}

    private enum A: Tag {}
    private enum B: Tag {}
    private enum C: Tag {}
    private enum D: Tag {}

    private protocol TaggedEntity: Identifiable, Sendable where ID == Int {
        init(id: Int)
    }

    /// A family of types, one for each combination of the tags.
    private struct Tagged<First: Tag, Second: Tag, Third: Tag, Fourth: Tag>: TaggedEntity {
        let id: Int
    }

    /// 256 types.
    ///
    /// They're formed while the tests run. If the compiler knew them, it would compile the code of
    /// a table for each, which takes many minutes with optimizations.
    private static let types: [any TaggedEntity.Type] = {
        func tagged<First: Tag, Second: Tag, Third: Tag, Fourth: Tag>(
            _: First.Type,
            _: Second.Type,
            _: Third.Type,
            _: Fourth.Type
        ) -> any TaggedEntity.Type {
            Tagged<First, Second, Third, Fourth>.self
        }
        let tags: [any Tag.Type] = [A.self, B.self, C.self, D.self]
        var types: [any TaggedEntity.Type] = []
        for first in tags {
            for second in tags {
                for third in tags {
                    for fourth in tags { types.append(tagged(first, second, third, fourth)) }
                }
            }
        }
        return types
    }()

    /// Returns the identities of the tables of all types.
    private func tables(in directory: TableDirectory) -> [ObjectIdentifier] {
        func table<Value: TaggedEntity>(of type: Value.Type) -> ObjectIdentifier {
            let table = directory.table(of: type)
            #expect(table.typeIdentifier == ObjectIdentifier(type))
            #expect(directory.existingTable(of: type) === table)
            #expect(directory.table(withTypeIdentifier: ObjectIdentifier(type)) === table)
            return ObjectIdentifier(table)
        }
        return Self.types.map { table(of: $0) }
    }

    @Test func unusedTypesHaveNoTable() {
        let directory = TableDirectory(
            clock: CommitClock(),
            policies: EvictionPolicies(CacheConfiguration())
        )
        #expect(directory.existingTable(of: Book.self) == nil)
        #expect(directory.table(withTypeIdentifier: ObjectIdentifier(Book.self)) == nil)
        #expect(directory.allTables.isEmpty)
    }

    @Test func manyTypesHaveATableEach() {
        let directory = TableDirectory(
            clock: CommitClock(),
            policies: EvictionPolicies(CacheConfiguration())
        )
        let found = tables(in: directory)
        #expect(Set(found).count == 256)
        #expect(tables(in: directory) == found)
        #expect(Set(directory.allTables.map { ObjectIdentifier($0) }) == Set(found))
        #expect(directory.allTables.count == 256)
    }

    @Test func threadsThatAskAtOnceGetTheSameTables() {
        for _ in 0..<5 {
            let directory = TableDirectory(
                clock: CommitClock(),
                policies: EvictionPolicies(CacheConfiguration())
            )
            let found = Recorder<[ObjectIdentifier]>()
            let ended = onThreads(4) { _ in found.append(tables(in: directory)) }
            #expect(ended)
            #expect(found.all.count == 4)
            #expect(Set(found.all).count == 1)
            #expect(directory.allTables.count == 256)
        }
    }

    @Test func valuesOfManyTypesAreSetAtOnceAndClearedTogether() {
        let cache = Cache()
        let ended = onThreads(3) { thread in
            for type in Self.types { cache.set(type.init(id: thread)) }
        }
        #expect(ended)
        #expect(cache.version == 768)
        cache.core.checkInvariants()
        #expect(cache.removeAll() == 768)
        cache.core.checkInvariants()
    }
}
