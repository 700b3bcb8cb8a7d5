import FlatCachePersistence
import Foundation

/// Writes values from another process: a copy of this program, which is told what to write through the
/// environment.
///
/// Each value is the moment before its write, on the clock that all processes of a machine have in common.
public enum OutsideWriter {
    /// What to write to, and how often.
    struct Order: Codable {
        /// Where the values go.
        var place: MomentPlace
        /// How many there are.
        var count: Int
        /// What the pauses before them are chosen by.
        var seed: UInt64

        /// The order as it is sent to another process.
        func text() throws -> String {
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        }
    }

    private static let orderVariable = "FLATCACHE_BENCHMARKS_WRITE"

    /// Writes and exits if this process was started to write; a program calls this first.
    public static func writeIfAsked() {
        guard let text = ProcessInfo.processInfo.environment[orderVariable] else { return }
        do {
            let moments = try write(Order(text: text))
            FileHandle.standardOutput.write(try JSONEncoder().encode(moments))
        } catch {
            Failures.note(error)
            exit(1)
        }
        exit(0)
    }

    /// Has a fresh process write, and returns what it has written when it has ended.
    static func moments(_ order: Order) throws -> [Int] {
        var environment = ProcessInfo.processInfo.environment
        environment[orderVariable] = String(
            decoding: try JSONEncoder().encode(order),
            as: UTF8.self
        )
        let output = try ChildProcess.output(arguments: [], environment: environment)
        return try JSONDecoder().decode([Int].self, from: output)
    }

    /// Writes what is ordered in this process, and returns it.
    static func write(_ order: Order) throws -> [Int] {
        let persister = try order.place.persister()
        var random = SeededGenerator(seed: order.seed)
        return try (0..<order.count).map { _ in
            // Not in step with anything that the other process does at intervals.
            usleep(UInt32.random(in: 5_000...15_000, using: &random))
            let moment = Int(Stopwatch.now)
            try persister.persist(moment)
            return moment
        }
    }
}

extension OutsideWriter.Order {
    /// Reads an order that has been sent.
    init(text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }
}

/// Where a number is kept that two processes use.
enum MomentPlace: Codable {
    case file(URL)
    case defaults(suiteName: String)

    /// Makes what reads and writes the number; it is 0 if there is none.
    func persister() throws -> Persister<Int> {
        switch self {
        case .file(let url):
            return Persister(
                key: url,
                storedBy: FileStorage(),
                transformer: JSONTransformer<Int>(),
                defaultValue: 0
            )
        case .defaults(let suiteName):
            guard let storage = UserDefaultsStorage(suiteName: suiteName) else {
                throw NoSuchPlace(name: suiteName)
            }
            return Persister(key: "moment", storedBy: storage, defaultValue: 0)
        }
    }

    private struct NoSuchPlace: Error, CustomStringConvertible {
        let name: String

        var description: String { "There are no defaults named \(name)." }
    }
}
