import FlatCachePersistence
import Foundation

extension Row {
    /// Rows that write to the user's defaults, including the write to their file, if there is one.
    static let defaultsWritingRows = [
        Row("22a", "UserDefaultsStorage.storeValue, 1 key", against: setAndSynchronize) {
            stores(keys: 1, $0)
        },
        Row("22b", "the same, 100 keys", against: setAndSynchronize) { stores(keys: 100, $0) },
        Row("22c", "the same, 5,000 keys", against: setAndSynchronize, target: 2) {
            stores(keys: 5_000, $0)
        },
    ]

    private static let setAndSynchronize = "UserDefaults.set, synchronize"

    private static func stores(keys: Int, _ scale: Scale) -> Contest {
        .ifPossible {
            let (plain, shared) = (try ScratchDefaults(), try ScratchDefaults())
            let storage = UserDefaultsStorage(shared.defaults)
            for key in 0..<keys {
                plain.defaults.set(key, forKey: Texts.identifier(key))
                shared.defaults.set(key, forKey: Texts.identifier(key))
            }
            plain.defaults.synchronize()
            shared.defaults.synchronize()
            let count = scale(slow: 30)
            let key = Texts.identifier(0)
            var stored = 0
            return Contest {
                stored += count
                defer { withExtendedLifetime(shared) {} }
                return Turns.round(count) {
                    plain.defaults.set(stored + $0, forKey: key)
                    plain.defaults.synchronize()
                } subject: {
                    try storage.storeValue(.integer(Int64(stored + $0)), key: key)
                }
            }
        }
    }
}
