import Foundation

/// A question that a fresh process answers: how many bytes each entity of a store takes.
///
/// A process that has measured other things before has memory to reuse, and would answer too little.
/// So the question goes through the environment to a copy of the same program, which answers as the
/// first thing it does.
public enum MemoryQuestion: String, CaseIterable, Sendable {
    /// About ``LockedDictionary``.
    case lockedDictionary
    /// About FlatCache.
    case flatCache

    private static let storeVariable = "FLATCACHE_BENCHMARKS_MEMORY_OF"
    private static let entitiesVariable = "FLATCACHE_BENCHMARKS_ENTITIES"

    /// Answers and exits if this process was started to answer; a program calls this first.
    public static func answerIfAsked() {
        let environment = ProcessInfo.processInfo.environment
        guard let question = environment[storeVariable].flatMap(MemoryQuestion.init(rawValue:)),
            let entities = environment[entitiesVariable].flatMap(Int.init), entities > 0
        else { return }
        print(question.measure(entities: entities))
        exit(0)
    }

    /// Returns what a fresh process answers: bytes per entity, or not a number if it could not.
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
        }
    }

    private static func bytes<Subject: CacheSubject<Book<Int>>>(
        of type: Subject.Type,
        _ entities: Int
    ) -> Double {
        let subject = Subject()
        // What the first use of anything takes is not counted.
        subject.ingest(Book.books(0..<1))
        guard let before = ResidentMemory.bytes else { return .nan }
        // As responses arrive, a thousand at a time, and nothing else keeps the values.
        for first in stride(from: 1, through: entities, by: 1_000) {
            subject.ingest(Book.books(first..<min(first + 1_000, entities + 1)))
        }
        guard let after = ResidentMemory.bytes else { return .nan }
        blackHole(subject.get(entities))
        return Double(after - before) / Double(entities)
    }
}
