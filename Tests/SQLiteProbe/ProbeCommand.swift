import FlatCache
import FlatCacheSQLite
import Foundation

/// A second process for tests of durable graphs, which runs the command in its arguments.
@main
enum ProbeCommand {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws {
        guard words.count == 3, let number = Int(words[2]) else {
            throw ProbeFailure(reason: "Expected a command, a path and a number: \(words)")
        }
        let probe = GraphProbe(path: words[1])
        let mutations = MutationProbe(path: words[1])
        switch words[0] {
        case "commits": try await probe.commitForever(seed: UInt64(number))
        case "shares": try await probe.shareForever(number)
        case "imports": try await probe.importForever()
        case "submits": try await mutations.run(seed: number, isSubmitting: true)
        case "sends": try await mutations.run(seed: number, isSubmitting: false)
        case "limited": try await probe.writeLimited(bytes: number)
        case "unprivileged": try await probe.openUnprivileged()
        default: throw ProbeFailure(reason: "Unknown command: \(words[0])")
        }
    }
}

struct ProbeFailure: Error {
    let reason: String
}

/// Prints a line at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
