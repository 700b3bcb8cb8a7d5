import FlatCachePersistence
import Foundation

/// Writes values from another process: a copy of this program, which receives its order in the
/// environment.
///
/// Each value is the moment before its write, on a clock that all processes of a machine share.
public enum OutsideWriter {
    /// The place and the number of the writes.
    struct Order: Codable {
        /// The place of the values.
        var place: MomentPlace
        /// The number of values.
        var count: Int
        /// The seed of the pauses before the writes.
        var seed: UInt64

        /// Returns the order as text to pass to another process.
        func text() throws -> String {
            String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        }
    }

    private static let orderVariable = "FLATCACHE_BENCHMARKS_WRITE"

    /// Writes and exits if this process was started to write.
    ///
    /// A program calls this first.
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

    /// Makes a fresh process write, waits for its end, and returns the written moments.
    static func moments(_ order: Order) throws -> [Int] {
        var environment = ProcessInfo.processInfo.environment
        environment[orderVariable] = String(
            decoding: try JSONEncoder().encode(order),
            as: UTF8.self
        )
        let output = try ChildProcess.output(arguments: [], environment: environment)
        return try JSONDecoder().decode([Int].self, from: output)
    }

    /// Writes the values of an order in this process, and returns them.
    static func write(_ order: Order) throws -> [Int] {
        let write = try order.place.writer()
        var random = SeededGenerator(seed: order.seed)
        return try (0..<order.count).map { _ in
            // Random pauses, so that the writes don't coincide with periodic work of the other
            // process.
            usleep(UInt32.random(in: 5_000...15_000, using: &random))
            let moment = Int(Stopwatch.now)
            try write(moment)
            return moment
        }
    }
}

extension OutsideWriter.Order {
    /// Decodes an order from text.
    init(text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }
}

/// The place of a number that two processes use.
enum MomentPlace: Codable {
    case file(URL)
    case defaults(suiteName: String)
    /// A property of a book in the file of a durable graph.
    case graph(URL)

    /// Returns a closure that writes the number.
    func writer() throws -> (Int) throws -> Void {
        #if canImport(SQLite3) || canImport(CSQLite)
        if case .graph(let file) = self { return try Row.momentWriter(file) }
        #endif
        let persister = try persister()
        return { try persister.persist($0) }
    }

    /// Creates a persister of the number, whose default is 0.
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
        case .graph(let file):
            throw NoSuchPlace(name: file.path)
        }
    }

    private struct NoSuchPlace: Error, CustomStringConvertible {
        let name: String

        var description: String { "No persister has its value at \(name)." }
    }
}
