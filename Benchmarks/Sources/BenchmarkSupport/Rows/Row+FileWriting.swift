import FlatCachePersistence
import Foundation

extension Row {
    /// Rows that write files, including the system's work to write them to the disk.
    static let fileWritingRows = [
        Row("21a", "FileStorage.storeValue, 4 KiB", against: atomicWrite, target: 1.3) {
            stores(kibibytes: 4, $0)
        },
        Row("21b", "the same, 1 MiB", against: atomicWrite, target: 1.3) {
            stores(kibibytes: 1_024, $0)
        },
        Row("21c", "@Persisted(file:), a listener, 4 KiB", against: atomicWrite, target: 1.3) {
            assignments(kibibytes: 4, $0)
        },
        Row("21d", "the same, 1 MiB", against: atomicWrite, target: 1.3) {
            assignments(kibibytes: 1_024, $0)
        },
        Row("21e", "FileStorage, .unsynchronized, 4 KiB", against: atomicWrite) {
            stores(kibibytes: 4, durability: .unsynchronized, $0)
        },
        Row("21f", "FileStorage, .durable, 4 KiB", against: atomicWrite) {
            stores(kibibytes: 4, durability: .durable, $0)
        },
    ]

    private static let atomicWrite = "Data.write(to:options: .atomic)"

    private static func stores(
        kibibytes: Int,
        durability: FileDurability = .synchronized,
        _ scale: Scale
    ) -> Contest {
        .ifPossible {
            let storage = FileStorage(durability: durability)
            return try writes(kibibytes: kibibytes, scale) { file in
                { try storage.storeValue($0, key: file) }
            }
        }
    }

    private static func assignments(kibibytes: Int, _ scale: Scale) -> Contest {
        .ifPossible {
            try writes(kibibytes: kibibytes, scale) { file in
                let draft = PersistedProperty(Persisted(file: file, defaultValue: Data()))
                let tally = Tally()
                let token = draft.$value.addUpdateListener { _ in tally.add() }
                var written = 0
                return { contents in
                    draft.value = contents
                    written += 1
                    withExtendedLifetime(token) { tally.check(written) }
                }
            }
        }
    }

    private static func writes(
        kibibytes: Int,
        _ scale: Scale,
        makeSubject: (URL) throws -> (Data) throws -> Void
    ) throws -> Contest {
        let folder = try ScratchFolder()
        let (baselineFile, subjectFile) = (folder.file("baseline"), folder.file("subject"))
        let subject = try makeSubject(subjectFile)
        let contents = Contents(bytes: kibibytes * 1_024)
        let count = scale(slow: 30)
        return Contest {
            defer { withExtendedLifetime(folder) {} }
            return Turns.round(count) {
                try contents[$0].write(to: baselineFile, options: .atomic)
            } subject: {
                try subject(contents[$0])
            }
        }
    }
}

/// The contents of the writes, which differ from one write to the next.
private struct Contents {
    private let both: [Data]

    init(bytes: Int) {
        both = [Data(repeating: 1, count: bytes), Data(repeating: 2, count: bytes)]
    }

    subscript(_ number: Int) -> Data { both[number % both.count] }
}
