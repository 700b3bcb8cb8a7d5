import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CachedListLoadingTests {
    @Test(arguments: 0..<6)
    func lateAnswerToAListThatBeganAnewIsDropped(way: Int) async throws {
        try merge([1], after: nil, next: "2")
        try merge([2], after: "2", next: "3")
        let loads = await load(count: 2)
        switch way {
        case 0: list.replace(with: [Book(id: 5)])
        case 1: list.removeAll()
        case 2: cache.removeAll()
        case 3: try merge([5], after: nil, next: "2")
        case 4: try merge([5], after: nil, next: "3")
        default: try merge([5], after: "2", next: "2b")
        }
        let (ids, next) = (list.ids, list.next)
        let version = cache.version
        server.answer(0, [3], next: "4")
        for load in loads { #expect(try await load.value == false) }
        #expect(list.ids == ids)
        #expect(list.next == next)
        #expect(cache.version == version)
    }

    @Test func lateFirstPageDoesNotReplaceAReplacement() async throws {
        let load = await load(count: 1)[0]
        list.replace(with: [Book(id: 5)])
        server.answer(0, [1], next: "b")
        #expect(try await load.value == false)
        #expect(list.ids == [5])
        #expect(list.next == .unknown)
    }

    @Test func pageThatWasMergedByHandMeanwhileIsNotMergedAgain() async throws {
        try merge([1], after: nil, next: "b")
        let load = await load(count: 1)[0]
        try merge([2, 3], after: "b", next: "c")
        server.answer(0, [2], next: "c")
        #expect(try await load.value == false)
        #expect(list.ids == [1, 2, 3])
    }

    @Test func callAfterANewBeginningDoesNotWaitForTheOldRequest() async throws {
        try merge([1], after: nil, next: "2")
        let old = await load(count: 1)[0]
        try merge([5], after: nil, next: "2")
        let new = await load(count: 1)[0]
        server.answer(1, [6], next: "3")
        #expect(try await new.value)
        #expect(list.ids == [5, 6])
        server.answer(0, [2], next: "3")
        #expect(try await old.value == false)
        #expect(list.ids == [5, 6])
    }

    @Test func editsDoNotDropAPage() async throws {
        try merge([1, 2], after: nil, next: "b")
        let load = await load(count: 1)[0]
        list.remove(1)
        list.insert(Book(id: 8), at: 0)
        list.append(contentsOf: [Book(id: 9)])
        list.move(2, to: 5)
        server.answer(0, [3], next: nil)
        #expect(try await load.value)
        #expect(list.ids == [8, 9, 2, 3])
        #expect(list.next == .end)
    }
}
