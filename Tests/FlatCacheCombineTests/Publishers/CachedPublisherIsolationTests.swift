#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

/// Most of these tests only have to compile.
struct CachedPublisherIsolationTests {
    @MainActor
    final class Shelf {
        private(set) var revisions: [Int?] = []
        private var subscriptions: Set<AnyCancellable> = []

        init(book: Cached<Book>) {
            book.publisher
                .map { $0?.revision }
                .sink { [weak self] revision in self?.revisions.append(revision) }
                .store(in: &subscriptions)
        }
    }

    actor Librarian {
        private(set) var revisions: [Int?] = []
        private var subscription: AnyCancellable?

        func watch(_ publisher: CachedPublisher<Book?>) {
            subscription = publisher.sink { book in self.revisions.append(book?.revision) }
        }

        func write(_ revision: Int, to book: Cached<Book>) {
            book.value = Book(id: 1, revision: revision)
        }
    }

    @MainActor
    @Test func mainActorMaySubscribe() {
        let cache = Cache()
        let shelf = Shelf(book: cache.cached(Book.self, id: 1))
        cache.set(Book(id: 1, revision: 1))
        #expect(shelf.revisions == [nil, 1])
    }

    @Test func actorMaySubscribe() async {
        let cache = Cache()
        let librarian = Librarian()
        let book = cache.cached(Book.self, id: 1)
        await librarian.watch(book.publisher)
        await librarian.write(1, to: book)
        #expect(await librarian.revisions == [nil, 1])
    }

    @Test func publisherMayGoToAnotherTask() async {
        let cache = Cache()
        cache.set(Book(id: 1, revision: 1))
        let publisher = cache.cached(Book.self, id: 1).publisher
        let first = await Task.detached {
            let received = Locked<[Int?]>([])
            let subscription = publisher.sink { book in
                received.withLock { $0.append(book?.revision) }
            }
            subscription.cancel()
            return received.withLock { $0 }
        }.value
        #expect(first == [1])
    }
}

#endif
