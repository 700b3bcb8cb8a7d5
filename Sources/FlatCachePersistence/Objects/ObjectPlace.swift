import FlatCache
import Foundation

/// The location of an object's data in a storage of any type.
protocol ObjectPlace: Sendable {
    /// The version of the stored data.
    var version: VersionWord { get }

    /// The version without a look at the storage.
    var knownVersion: Int { get }

    /// Returns the content that all readers in this process share, and its version.
    func load() throws(PersistenceError) -> (content: ObjectContent, version: Int)

    /// Returns the content that the storage reads now, and notifies other listeners if it differs
    /// from the shared content.
    func read() throws(PersistenceError) -> ObjectContent

    /// Stores data, or removes the stored data if the argument is `nil`.
    func write(_ data: Data?) throws(PersistenceError)

    func keepCorrupt() throws(PersistenceError)

    func synchronize() throws(PersistenceError)

    /// Runs a closure while no other thread in this process writes to the place. Calls may be
    /// nested.
    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// Performs calls in order, one at a time, under no lock.
    func call(_ calls: [@Sendable () -> Void])

    /// Calls a closure with the version of each change, and with each error.
    func listen(
        _ receive: @escaping @Sendable (Result<Int, PersistenceError>) -> Void
    ) -> Disposable

    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError
}

/// A repository whose place is a key of a storage, which other clients may use as well.
protocol PlacedRepository: ObjectRepository {
    func makePlace() -> any ObjectPlace
}

/// The place of an object under a key of a storage.
struct SlotPlace<Place: Storage>: ObjectPlace {
    private let slot: KeySlot<Place>
    private let content: @Sendable (Place.Value) -> ObjectContent
    private let value: @Sendable (Data) -> Place.Value
    private let exchange: @Sendable () throws -> Void

    init(
        _ slot: KeySlot<Place>,
        content: @escaping @Sendable (Place.Value) -> ObjectContent,
        value: @escaping @Sendable (Data) -> Place.Value,
        synchronize exchange: @escaping @Sendable () throws -> Void
    ) {
        self.slot = slot
        self.content = content
        self.value = value
        self.exchange = exchange
    }

    /// The version after a refresh.
    ///
    /// A refresh that fails changes nothing.
    var version: VersionWord {
        try? slot.refresh()
        return slot.channel.version
    }

    var knownVersion: Int { slot.channel.version.current }

    func load() throws(PersistenceError) -> (content: ObjectContent, version: Int) {
        let (stored, version) = try slot.load()
        return (stored.map(content) ?? .absent, version)
    }

    func read() throws(PersistenceError) -> ObjectContent {
        do {
            return try slot.storage.retrieveValue(for: slot.key).map(content) ?? .absent
        } catch {
            throw slot.explained(error, .read)
        }
    }

    func write(_ data: Data?) throws(PersistenceError) { try slot.store(data.map(value)) }

    func keepCorrupt() throws(PersistenceError) { try slot.keepCorrupt() }

    func synchronize() throws(PersistenceError) {
        do {
            try exchange()
        } catch {
            throw slot.explained(error, .read)
        }
    }

    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try slot.channel.exclusively(body)
    }

    func call(_ calls: [@Sendable () -> Void]) { slot.channel.call(calls) }

    func listen(
        _ receive: @escaping @Sendable (Result<Int, PersistenceError>) -> Void
    ) -> Disposable {
        slot.channel.addListener(delivery: .inline) { [slot] event in
            switch event {
            case .changed(_, let version): receive(.success(version))
            case .failed(let error): receive(.failure(slot.explained(error, .read)))
            }
        }
    }

    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError {
        slot.explained(error, operation)
    }
}

extension SlotPlace<RepositoryStorage> {
    /// Creates the place of a custom repository.
    init(_ repository: any ObjectRepository) {
        self.init(
            KeySlot(RepositoryStorage(repository), RepositoryStorage.key),
            content: { .data($0) },
            value: { $0 },
            synchronize: repository.synchronize
        )
    }
}
