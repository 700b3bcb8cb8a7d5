import FlatCache
import FlatCachePersistence
import Foundation

/// A second process for tests, which runs the command in its arguments and prints the result.
@main
enum ProbeCommand {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try run(arguments)
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        let words = Words(arguments)
        switch try words.word(0) {
        case "file-hammer":
            try FileProbe(words).hammer(count: try words.number(2), label: try words.word(3))
        case "file-forever": try FileProbe(words).writeForever(size: try words.number(2))
        case "file-limited": try FileProbe(words).writeLimited(bytes: try words.number(2))
        case "file-unprivileged": try FileProbe(words).writeUnprivileged()
        case "file-storm": try FileProbe(words).storm(rounds: try words.number(2))
        case "file-in-place": try FileProbe(words).writeInPlace()
        case "file-update": try FileProbe(words).update(count: try words.number(2))
        case "file-echo": try FileProbe(words).echo(until: try words.word(2))
        case "defaults-hammer":
            try DefaultsProbe(words).hammer(
                count: try words.number(3),
                number: try words.number(4)
            )
        case "defaults-update": try DefaultsProbe(words).update(count: try words.number(3))
        case "defaults-forever": try DefaultsProbe(words).writeForever(size: try words.number(3))
        case "defaults-limited": try DefaultsProbe(words).writeLimited(bytes: try words.number(3))
        case "defaults-plain": try DefaultsProbe(words).writePlainly(try words.number(3))
        case let other: throw UnknownWord(word: other)
        }
    }
}

/// The arguments, whose accessors throw an error that names a missing argument.
struct Words {
    private let words: [String]

    init(_ words: [String]) {
        self.words = words
    }

    func word(_ index: Int) throws -> String {
        guard index < words.count else { throw MissingWord(index: index) }
        return words[index]
    }

    func number(_ index: Int) throws -> Int {
        let word = try word(index)
        guard let number = Int(word) else { throw UnknownWord(word: word) }
        return number
    }
}

struct UnknownWord: Error {
    let word: String
}

struct MissingWord: Error {
    let index: Int
}

/// Runs an asynchronous closure, and blocks the thread until it has ended.
func runBlocking(_ body: @escaping @Sendable () async throws -> Void) throws {
    let end = DispatchSemaphore(value: 0)
    let failure = Locked<(any Error)?>(nil)
    Task {
        do { try await body() } catch { failure.withLock { $0 = error } }
        end.signal()
    }
    end.wait()
    if let error = failure.withLock({ $0 }) { throw error }
}

/// Writes a line that the parent process can read at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
