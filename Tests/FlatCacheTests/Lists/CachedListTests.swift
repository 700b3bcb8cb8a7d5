import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedListTests {
    let cache = Cache()
    let list: CachedList<Book>

    init() {
        list = cache.list("list", of: Book.self)
    }

    private var titles: [String?] { list.elements.map(\.title) }

    /// Returns the number of commits that a closure makes.
    private func commits(_ body: () -> Void) -> UInt64 {
        let version = cache.version
        body()
        cache.core.checkInvariants()
        return cache.version - version
    }

    @Test func isEmptyBeforeAnythingIsPutIn() {
        #expect(list.ids == [])
        #expect(list.elements == [])
        #expect(cache.version == 0)
    }

    @Test func knowsItsName() {
        #expect(list.name == "list")
        #expect(list.id == "list")
        #expect("\(list)" == "CachedList \"list\" of Book")
    }

    @Test func replacingGivesItTheValuesInTheirOrderAndStoresThemInOneCommit() {
        #expect(commits { list.replace(with: [Book(id: 2, title: "B"), Book(id: 1)]) } == 1)
        #expect(list.ids == [2, 1])
        #expect(list.elements == [Book(id: 2, title: "B"), Book(id: 1)])
        #expect(cache[Book.self, 2]?.title == "B")
        #expect(commits { list.replace(with: [Book(id: 3)]) } == 1)
        #expect(list.ids == [3])
        #expect(cache[Book.self, 2]?.title == "B", "The cache keeps the removed element.")
        #expect(commits { list.replace(with: []) } == 1)
        #expect(list.ids == [])
    }

    @Test func appendingPutsAPageAtTheEndInOneCommit() {
        list.replace(with: [Book(id: 1), Book(id: 2)])
        #expect(commits { list.append(contentsOf: [Book(id: 4), Book(id: 3)]) } == 1)
        #expect(list.ids == [1, 2, 4, 3])
        #expect(commits { list.append(contentsOf: []) } == 0)
        #expect(list.ids == [1, 2, 4, 3])
    }

    @Test func appendingAnElementAgainKeepsItsPlaceAndTakesTheValue() {
        list.replace(with: [Book(id: 1, title: "A"), Book(id: 2, title: "B")])
        list.append(contentsOf: [Book(id: 3), Book(id: 1, title: "A, again"), Book(id: 3)])
        #expect(list.ids == [1, 2, 3])
        #expect(titles == ["A, again", "B", nil])
        #expect(commits { list.append(contentsOf: [Book(id: 1), Book(id: 2)]) } == 0)
    }

    @Test func repeatedIdentifiersKeepTheFirstPlaceAndMergeAllValues() {
        list.replace(with: [
            Book(id: 1, title: "A"), Book(id: 2), Book(id: 1, year: 1971),
        ])
        #expect(list.elements == [Book(id: 1, title: "A", year: 1971), Book(id: 2)])
        list.ids = [2, 2, 1, 2, 1]
        #expect(list.ids == [2, 1])
        list.update { $0 = [1, 1, 2] }
        #expect(list.ids == [1, 2])
    }

    @Test func valuesAreStoredWithMerging() {
        cache.set(contentsOf: (1...4).map { Book(id: $0, title: "T\($0)", year: 1900 + $0) })
        list.replace(with: [Book(id: 1, title: "A")])
        list.append(contentsOf: [Book(id: 2, title: "B")])
        list.insert(Book(id: 3, title: "C"), at: 2)
        #expect(titles == ["A", "B", "C"])
        #expect(list.elements.map(\.year) == [1901, 1902, 1903])
        list.insert(Book(id: 3, year: 2000), at: 0)
        #expect(list.elements.first == Book(id: 3, title: "C", year: 2000))
    }

    @Test func anySequenceOfValuesIsTakenOnce() {
        var made = 0
        let books = sequence(state: 0) { (id: inout Int) -> Book? in
            made += 1
            id += 1
            return id > 3 ? nil : Book(id: id)
        }
        list.append(contentsOf: books)
        #expect(list.ids == [1, 2, 3])
        #expect(made == 4)
    }

    @Test func sequenceThatWritesIsIteratedBeforeTheList() {
        let list = list
        let cache = cache
        let books = (1...2).lazy.map { id in
            cache.set(Book(id: id + 10))
            return Book(id: id)
        }
        list.append(contentsOf: books)
        #expect(list.ids == [1, 2])
        #expect(cache.count(of: Book.self) == 4)
    }

    @Test(arguments: [
        (0, [9, 1, 2, 3]), (1, [1, 9, 2, 3]), (2, [1, 2, 9, 3]), (3, [1, 2, 3, 9]),
        (4, [1, 2, 3, 9]), (Int.max, [1, 2, 3, 9]),
    ])
    func insertingPutsAValueAtItsPlaceAndBeyondTheEndMeansTheEnd(index: Int, ids: [Int]) {
        list.replace(with: (1...3).map { Book(id: $0) })
        #expect(commits { list.insert(Book(id: 9, title: "new"), at: index) } == 1)
        #expect(list.ids == ids)
        #expect(cache[Book.self, 9]?.title == "new")
    }

    @Test(arguments: [
        (0, [2, 1, 3, 4]), (1, [1, 2, 3, 4]), (2, [1, 3, 2, 4]), (3, [1, 3, 4, 2]),
        (4, [1, 3, 4, 2]), (Int.max, [1, 3, 4, 2]),
    ])
    func insertingAgainAndMovingCountTheFinalPlace(index: Int, ids: [Int]) {
        var isThere = false
        list.replace(with: (1...4).map { Book(id: $0) })
        #expect(commits { list.insert(Book(id: 2, title: "B"), at: index) } == 1)
        #expect(list.ids == ids)
        #expect(cache[Book.self, 2]?.title == "B")
        list.ids = [1, 2, 3, 4]
        #expect(commits { isThere = list.move(2, to: index) } == (ids == [1, 2, 3, 4] ? 0 : 1))
        #expect(isThere)
        #expect(list.ids == ids)
    }

    @Test func insertingIntoAnEmptyListMakesItsFirstElement() {
        list.insert(Book(id: 1), at: 5)
        #expect(list.ids == [1])
    }

    @Test func movingAndRemovingIgnoreMissingElements() {
        list.replace(with: [Book(id: 1)])
        cache.set(Book(id: 2))
        var wasThere = [true, true]
        #expect(commits { wasThere = [list.move(2, to: 0), list.remove(2)] } == 0)
        #expect(wasThere == [false, false])
        #expect(list.ids == [1])
    }

    @Test func removingTakesAnElementOutOfTheListButNotOutOfTheCache() {
        list.replace(with: (1...3).map { Book(id: $0) })
        var wasThere = false
        #expect(commits { wasThere = list.remove(2) } == 1)
        #expect(wasThere)
        #expect(list.ids == [1, 3])
        #expect(cache.contains(Book.self, id: 2))
        #expect(!list.remove(2))
    }

    @Test func removingAllTakesTheElementsOutOfTheListButNotOutOfTheCache() {
        list.replace(with: (1...3).map { Book(id: $0) })
        #expect(commits { list.removeAll() } == 1)
        #expect(list.ids == [])
        #expect(list.elements == [])
        #expect(cache.count(of: Book.self) == 3)
        #expect(commits { list.removeAll() } == 0)
    }

    @Test func settingTheIdentifiersGivesItAnotherOrder() {
        list.replace(with: (1...3).map { Book(id: $0) })
        #expect(commits { list.ids = [3, 1] } == 1)
        #expect(list.elements.map(\.id) == [3, 1])
        #expect(commits { list.ids = [3, 1] } == 0)
        list.ids.append(2)
        #expect(list.ids == [3, 1, 2])
    }

    @Test func updatingReturnsTheClosuresResultAndIsOneCommit() {
        list.replace(with: [5, 3, 4].map { Book(id: $0) })
        var last: Int??
        let count = commits {
            last = list.update { ids in
                ids.sort()
                return ids.last
            }
        }
        #expect(count == 1)
        #expect(last == .some(5))
        #expect(list.ids == [3, 4, 5])
        #expect(commits { list.update { $0.sort() } } == 0)
    }

    @Test func identifiersWithoutAValueAreSkipped() {
        list.ids = [1, 2, 3]
        #expect(list.elements == [])
        cache.set(Book(id: 2, title: "B"))
        #expect(titles == ["B"])
        cache.set(Book(id: 1, title: "A"))
        #expect(titles == ["A", "B"])
        cache.remove(Book.self, id: 2)
        #expect(titles == ["A"])
        #expect(list.ids == [1, 2, 3])
        cache.set(Book(id: 2, title: "B, again"))
        #expect(titles == ["A", "B, again"])
    }

    @Test func twoListsShareTheirValues() {
        let other = cache.list("other", of: Book.self)
        list.replace(with: [Book(id: 1), Book(id: 2, title: "B")])
        other.replace(with: [Book(id: 2), Book(id: 3)])
        #expect(other.elements.map(\.title) == ["B", nil])
        cache.update(Book.self, id: 2) { $0.title = "B, again" }
        #expect(titles == [nil, "B, again"])
        #expect(other.elements.map(\.title) == ["B, again", nil])
        other.removeAll()
        #expect(list.ids == [1, 2])
    }

    @Test func twoHandlesOfOneNameShowTheSameList() {
        let same = cache.list("list", of: Book.self)
        same.replace(with: [Book(id: 1)])
        #expect(list.ids == [1])
        list.append(contentsOf: [Book(id: 2)])
        #expect(same.ids == [1, 2])
    }

    @Test func listsOfOneNameThatHoldDifferentTypesAreDifferentLists() {
        let notes = cache.list("list", of: Note.self)
        let authors = cache.list("list", of: Author.self)
        list.replace(with: [Book(id: 1)])
        notes.replace(with: [Note(id: 2, text: "")])
        authors.replace(with: [Author(id: "le-guin", name: "")])
        #expect(list.ids == [1])
        #expect(notes.ids == [2])
        #expect(authors.ids == ["le-guin"])
        notes.removeAll()
        #expect(list.elements == [Book(id: 1)])
    }

    @Test func emptyNameIsValid() {
        let nameless = cache.list("", of: Book.self)
        nameless.replace(with: [Book(id: 1)])
        #expect(nameless.ids == [1])
        #expect(list.ids == [])
    }
}
