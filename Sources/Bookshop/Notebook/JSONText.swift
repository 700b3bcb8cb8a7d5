import FlatCachePersistence
import Foundation

/// A transformer that ends a JSON text with a newline, as editors do.
struct JSONText: Transformer {
    func transformValue(_ json: Data) -> Data { json + Data("\n".utf8) }

    func untransformValue(_ text: Data) -> Data { text }
}
