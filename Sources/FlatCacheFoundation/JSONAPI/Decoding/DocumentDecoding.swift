import FlatCache

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct DocumentDecoding<Primary: Decodable>: DecodableWithConfiguration {
    struct Configuration {
        let types: JSONAPITypes
        let ingestion: Ingestion
    }

    private enum Key: CodingKey {
        case data, included, errors, links
    }

    let document: JSONAPIDocument<Primary>

    init(from decoder: any Decoder, configuration: Configuration) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let errors = try container.decodeIfPresent([JSONAPIError].self, forKey: .errors)
        if let errors, !errors.isEmpty {
            throw JSONAPIErrors(errors: errors)
        }
        let links = try container.decodeIfPresent([String: Link?].self, forKey: .links) ?? [:]
        let store = ResourceStore(
            types: configuration.types,
            ingestion: configuration.ingestion,
            userInfo: decoder.userInfo
        )
        let primary = try Self.primaryData(in: container, store)
        let data = try primary.value(Primary.self)
        try primary.collectRest()
        if container.contains(.included) {
            var included = try container.nestedUnkeyedContainer(forKey: .included)
            while !included.isAtEnd {
                if let resource = try store.resource(from: included.superDecoder()) {
                    try store.collectEntity(of: resource, isIncluded: true)
                }
            }
        }
        document = JSONAPIDocument(
            data: data,
            links: links.compactMapValues { $0?.url },
            skippedCounts: store.skippedCounts
        )
    }

    private static func primaryData(
        in container: KeyedDecodingContainer<Key>,
        _ store: ResourceStore
    ) throws -> PrimaryDecoder {
        let codingPath = container.codingPath + [Key.data]
        func decoder(_ content: PrimaryDecoder.Content) -> PrimaryDecoder {
            PrimaryDecoder(content: content, store: store, codingPath: codingPath)
        }
        if try container.decodeNil(forKey: .data) { return decoder(.null) }
        guard var list = try? container.nestedUnkeyedContainer(forKey: .data) else {
            let object = try container.superDecoder(forKey: .data)
            return decoder(try store.resource(from: object).map { .one($0) } ?? .skipped(object))
        }
        var elements: [(index: Int, content: PrimaryDecoder.Content)] = []
        while !list.isAtEnd {
            let index = list.currentIndex
            let object = try list.superDecoder()
            do {
                guard let resource = try store.resource(from: object) else { continue }
                elements.append((index, .one(resource)))
            } catch {
                let resource = MalformedResource(error, codingPath: object.codingPath)
                elements.append((index, .malformed(resource)))
            }
        }
        return decoder(.many(elements))
    }
}

extension DocumentDecoding {
    /// A link: a URL, or an object that contains one.
    private struct Link: Decodable {
        private enum Key: CodingKey {
            case href
        }

        let url: String

        init(from decoder: any Decoder) throws {
            if let url = try? decoder.singleValueContainer().decode(String.self) {
                self.url = url
            } else {
                url = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .href)
            }
        }
    }
}
