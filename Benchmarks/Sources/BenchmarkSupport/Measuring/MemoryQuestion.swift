import FlatCache
import Foundation

/// A question that a fresh process answers: the number of bytes that a store uses per entity, that
/// an ingest uses while it runs, or that a query uses per row.
///
/// A process that has measured other things before would reuse memory, and the result would be too
/// small. The question is passed in the environment to a copy of the same program, which answers it
/// first.
public enum MemoryQuestion: String, CaseIterable, Sendable {
    /// The memory of ``LockedDictionary``.
    case lockedDictionary
    /// The memory of FlatCache.
    case flatCache
    /// The memory that an ingest of line-delimited JSON needs in addition to the stored entities.
    case lines
    /// The memory that a sorted result needs in addition to its entities, after the first run.
    case queriedRows
    /// The memory of a sorted result after each row has moved once, on average.
    case movedRows

    private static let storeVariable = "FLATCACHE_BENCHMARKS_MEMORY_OF"
    private static let entitiesVariable = "FLATCACHE_BENCHMARKS_ENTITIES"

    /// Answers and exits if this process was started to answer.
    ///
    /// A program calls this first.
    public static func answerIfAsked() {
        let environment = ProcessInfo.processInfo.environment
        guard let question = environment[storeVariable].flatMap(MemoryQuestion.init(rawValue:)),
            let entities = environment[entitiesVariable].flatMap(Int.init), entities > 0
        else { return }
        print(question.measure(entities: entities))
        exit(0)
    }

    /// Asks a fresh process and returns the number of bytes per entity, or NaN if the process
    /// couldn't answer.
    func ask(entities: Int) -> Double {
        var environment = ProcessInfo.processInfo.environment
        environment[Self.storeVariable] = rawValue
        environment[Self.entitiesVariable] = String(entities)
        let answer = try? ChildProcess.output(arguments: [], environment: environment)
        let text = answer.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .nan
    }

    private func measure(entities: Int) -> Double {
        switch self {
        case .lockedDictionary: Self.bytes(of: LockedDictionary<Book<Int>>.self, entities)
        case .flatCache: Self.bytes(of: FlatCacheSubject<Book<Int>>.self, entities)
        case .lines: LineMemory.extraBytes(lines: entities)
        case .queriedRows: Self.bytesPerRow(entities, movesRows: false)
        case .movedRows: Self.bytesPerRow(entities, movesRows: true)
        }
    }

    private static func bytes<Subject: CacheSubject<Book<Int>>>(
        of type: Subject.Type,
        _ entities: Int
    ) -> Double {
        let subject = Subject()
        // The memory that the first use of each function allocates doesn't count.
        subject.ingest(Book.books(0..<1))
        guard let before = ResidentMemory.bytes else { return .nan }
        // The values arrive a thousand at a time, as in responses, and only the store keeps them.
        for first in stride(from: 1, through: entities, by: 1_000) {
            subject.ingest(Book.books(first..<min(first + 1_000, entities + 1)))
        }
        guard let after = ResidentMemory.bytes else { return .nan }
        blackHole(subject.get(entities))
        return Double(after - before) / Double(entities)
    }

    private static func bytesPerRow(_ entities: Int, movesRows: Bool) -> Double {
        let cache = Cache()
        cache.set(contentsOf: QueriedBook.books(entities))
        func moveRows() {
            var generator = SeededGenerator(seed: 1)
            for _ in 0..<entities / 100 {
                cache.set(
                    contentsOf: QueriedBook.randomBooks(
                        100,
                        of: entities,
                        authors: 10_000,
                        &generator
                    )
                )
            }
        }
        // The same writes without the query, so that their memory doesn't count.
        if movesRows { moveRows() }
        guard let before = ResidentMemory.bytes else { return .nan }
        let token = cache.query(QueriedBook.self).sorted(by: \.number).keepCurrent()
        if movesRows { moveRows() }
        guard let after = ResidentMemory.bytes else { return .nan }
        return withExtendedLifetime(token) { Double(after - before) / Double(entities) }
    }
}
