import Testing

@testable import FlatCache

struct TableDirectoryTests {
    /// A family of types, one for each combination of the parameters.
    struct Tagged<First, Second, Third, Fourth>: Identifiable, Sendable {
        let id: Int
    }

    enum A {}
    enum B {}
    enum C {}
    enum D {}

    /// Calls a visitor with each of 256 types.
    private func forEachType(_ body: any Visitor) {
        func four<First, Second, Third>(_: First.Type, _: Second.Type, _: Third.Type) {
            body.visit(Tagged<First, Second, Third, A>.self)
            body.visit(Tagged<First, Second, Third, B>.self)
            body.visit(Tagged<First, Second, Third, C>.self)
            body.visit(Tagged<First, Second, Third, D>.self)
        }
        func sixteen<First, Second>(_ first: First.Type, _ second: Second.Type) {
            four(first, second, A.self)
            four(first, second, B.self)
            four(first, second, C.self)
            four(first, second, D.self)
        }
        func sixtyFour<First>(_ first: First.Type) {
            sixteen(first, A.self)
            sixteen(first, B.self)
            sixteen(first, C.self)
            sixteen(first, D.self)
        }
        sixtyFour(A.self)
        sixtyFour(B.self)
        sixtyFour(C.self)
        sixtyFour(D.self)
    }

    private protocol Visitor {
        func visit<First, Second, Third, Fourth>(_: Tagged<First, Second, Third, Fourth>.Type)
    }

    private struct Finder: Visitor {
        let directory: TableDirectory
        let found: Recorder<ObjectIdentifier>

        func visit<First, Second, Third, Fourth>(
            _ type: Tagged<First, Second, Third, Fourth>.Type
        ) {
            let table = directory.table(of: type)
            found.append(ObjectIdentifier(table))
            #expect(table.typeIdentifier == ObjectIdentifier(type))
            #expect(directory.existingTable(of: type) === table)
            #expect(directory.table(withTypeIdentifier: ObjectIdentifier(type)) === table)
        }
    }

    private struct Setter: Visitor {
        let cache: Cache
        let id: Int

        func visit<First, Second, Third, Fourth>(
            _ type: Tagged<First, Second, Third, Fourth>.Type
        ) {
            cache.set(type.init(id: id))
        }
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
        let first = Recorder<ObjectIdentifier>()
        forEachType(Finder(directory: directory, found: first))
        #expect(Set(first.all).count == 256)
        let second = Recorder<ObjectIdentifier>()
        forEachType(Finder(directory: directory, found: second))
        #expect(second.all == first.all)
        #expect(Set(directory.allTables.map { ObjectIdentifier($0) }) == Set(first.all))
        #expect(directory.allTables.count == 256)
    }

    @Test func threadsThatAskAtOnceGetTheSameTables() {
        for _ in 0..<5 {
            let directory = TableDirectory(
                clock: CommitClock(),
                policies: EvictionPolicies(CacheConfiguration())
            )
            let recorders = (0..<4).map { _ in Recorder<ObjectIdentifier>() }
            let ended = onThreads(4) { thread in
                forEachType(Finder(directory: directory, found: recorders[thread]))
            }
            #expect(ended)
            #expect(Set(recorders.map(\.all)).count == 1)
            #expect(directory.allTables.count == 256)
        }
    }

    @Test func valuesOfManyTypesAreSetAtOnceAndClearedTogether() {
        let cache = Cache()
        let ended = onThreads(3) { thread in
            forEachType(Setter(cache: cache, id: thread))
        }
        #expect(ended)
        #expect(cache.version == 768)
        cache.core.checkInvariants()
        #expect(cache.removeAll() == 768)
        cache.core.checkInvariants()
    }
}
