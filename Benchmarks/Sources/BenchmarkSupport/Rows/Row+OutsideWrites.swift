import FlatCachePersistence
import Foundation

extension Row {
    /// Rows that measure the delay from another process's write to a listener.
    static let outsideWriteRows = [
        Row("23a", "write elsewhere to listener, a file", against: limit, target: 1) {
            fileDelays(0.5, $0)
        },
        Row("23b", "the same, 99th percentile", against: limit) { fileDelays(0.99, $0) },
        Row("23c", "write elsewhere to listener, defaults", against: limit, target: 1) {
            defaultsDelays(0.5, $0)
        },
        Row("23d", "the same, 99th percentile", against: limit) { defaultsDelays(0.99, $0) },
    ]

    private static let limit = "50 ms"
    private static let nanosecondsOfLimit = 50_000_000.0

    private static func fileDelays(_ share: Double, _ scale: Scale) -> Contest {
        .ifPossible {
            let folder = try ScratchFolder()
            return try delays(share, at: .file(folder.file("moment.json")), scale) {
                withExtendedLifetime(folder) {}
            }
        }
    }

    private static func defaultsDelays(_ share: Double, _ scale: Scale) -> Contest {
        .ifPossible {
            let scratch = try ScratchDefaults()
            return try delays(share, at: .defaults(suiteName: scratch.suiteName), scale) {
                withExtendedLifetime(scratch) {}
            }
        }
    }

    private static func delays(
        _ share: Double,
        at place: MomentPlace,
        _ scale: Scale,
        keeping scratch: @escaping () -> Void
    ) throws -> Contest {
        let persister = try place.persister()
        let count = scale(slow: 100)
        var seed: UInt64 = 0
        return Contest {
            nanosecondsOfLimit
        } subject: {
            defer { scratch() }
            seed += 1
            do {
                let order = OutsideWriter.Order(place: place, count: count, seed: seed)
                return try persister.delays(order).bound(ofShare: share)
            } catch {
                Failures.note(error)
                return .nan
            }
        }
    }
}

extension [Double] {
    /// Returns the bound that a share of the numbers doesn't exceed, or NaN if there are none.
    func bound(ofShare share: Double) -> Double {
        guard !isEmpty else { return .nan }
        return sorted()[Swift.max(0, Int((Double(count) * share).rounded(.up)) - 1)]
    }
}
