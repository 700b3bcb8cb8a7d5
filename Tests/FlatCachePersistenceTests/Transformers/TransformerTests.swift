import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

private enum Theme: String, Codable, Sendable { case light, dark }

private struct Parcel: Codable, Sendable, Equatable {
    var title = "Å \"b\""
    var count = 3
    var tags = ["x": 1.5, "a": 2, "z": 0.25]
}

/// A transformer that reverses bytes, so that the order of a chain matters.
private struct Reversing: Transformer {
    func transformValue(_ value: Data) -> Data { Data(value.reversed()) }
    func untransformValue(_ output: Data) -> Data { Data(output.reversed()) }
}

private struct Marking: Transformer {
    struct NotMarked: Error {}
    let mark: UInt8

    func transformValue(_ value: Data) -> Data { Data([mark]) + value }

    func untransformValue(_ output: Data) throws -> Data {
        guard output.first == mark else { throw NotMarked() }
        return Data(output.dropFirst())
    }
}

@Suite struct TransformerTests {
    @Test func chainUntransformsInReverseOrder() throws {
        let chain = JSONTransformer<Parcel>().append(Marking(mark: 1)).append(Reversing())
            .append(Marking(mark: 2))
        let output = try chain.transformValue(Parcel())
        #expect(output.first == 2 && output.last == 1)
        #expect(try chain.untransformValue(output) == Parcel())
        #expect(throws: Marking.NotMarked.self) { try chain.untransformValue(Data([1, 1])) }
    }

    @Test func persisterAcceptsAChain() throws {
        let chain = RawRepresentableTransformer<Theme>().append(JSONTransformer<String>())
            .append(IdentityTransformer())
        let persister = Persister(
            key: "a",
            storedBy: InMemoryStorage<String, Data>(),
            transformer: chain,
            defaultValue: Theme.light
        )
        try persister.persist(.dark)
        #expect(try persister.retrieveValueOrThrow() == .dark)
    }

    @Test func equalValuesHaveEqualBytes() throws {
        let lists = PropertyListTransformer<Parcel>()
        let xml = PropertyListTransformer<Parcel>(outputFormat: .xml)
        let json = JSONTransformer<Parcel>()
        for _ in 0..<20 {
            // The order of a dictionary depends on its insertions.
            var order = Parcel()
            for number in 0..<20 { order.tags["\(number)"] = 1 }
            for number in (0..<20).reversed() { order.tags["\(number)"] = nil }
            #expect(try json.transformValue(order) == json.transformValue(Parcel()))
            #expect(try lists.transformValue(order) == lists.transformValue(Parcel()))
            #expect(try xml.transformValue(order) == xml.transformValue(Parcel()))
        }
    }

    @Test(arguments: [PropertyListTransformer<Parcel>.Format.xml, .binary])
    fileprivate func propertyListsRoundTripInEitherFormat(
        _ format: PropertyListTransformer<Parcel>.Format
    ) throws {
        let output = try PropertyListTransformer<Parcel>(outputFormat: format).transformValue(
            Parcel()
        )
        #expect(output.starts(with: Data("bplist00".utf8)) == (format == .binary))
        #expect(try PropertyListTransformer<Parcel>().untransformValue(output) == Parcel())
        // Foundation's decoder reads it as well.
        #expect(try PropertyListDecoder().decode(Parcel.self, from: output) == Parcel())
    }

    @Test func propertyListKeepsFractionsOfSecondsUnlessItIsXML() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1000.625)
        let output = try PropertyListTransformer<Date>().transformValue(date)
        #expect(output.starts(with: Data("bplist00".utf8)))
        #expect(try PropertyListTransformer<Date>().untransformValue(output) == date)
    }

    @Test func foundationsPropertyListsAreRead() throws {
        let encoder = PropertyListEncoder()
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            encoder.outputFormat = format
            let output = try encoder.encode(Parcel())
            #expect(try PropertyListTransformer<Parcel>().untransformValue(output) == Parcel())
        }
    }

    @Test func singleValuesArePropertyLists() throws {
        let numbers = PropertyListTransformer<Int>(outputFormat: .binary)
        #expect(try numbers.untransformValue(try numbers.transformValue(5)) == 5)
        let texts = PropertyListTransformer<String>()
        #expect(try texts.untransformValue(try texts.transformValue("x")) == "x")
        #expect(throws: PropertyListError.self) {
            try numbers.untransformValue(try texts.transformValue("5"))
        }
    }

    @Test func unknownRawValueIsNamed() throws {
        let transformer = RawRepresentableTransformer<Theme>()
        #expect(transformer.transformValue(.dark) == "dark")
        #expect(try transformer.untransformValue("light") == .light)
        let error = try #require(throws: UnknownRawValueError.self) {
            try transformer.untransformValue("purple")
        }
        #expect(error.description.contains("\"purple\"") && error.description.contains("Theme"))
    }

    @Test func closuresConfigureTheJSONCoders() throws {
        let transformer = JSONTransformer<Date>(
            configureEncoder: { $0.dateEncodingStrategy = .secondsSince1970 },
            configureDecoder: { $0.dateDecodingStrategy = .secondsSince1970 }
        )
        let date = Date(timeIntervalSince1970: 5)
        #expect(try transformer.transformValue(date) == Data("5".utf8))
        #expect(try transformer.untransformValue(Data("5".utf8)) == date)
    }
}
