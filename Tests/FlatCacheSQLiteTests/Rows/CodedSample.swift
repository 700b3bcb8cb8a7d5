import Foundation

@testable import FlatCacheSQLiteTestSupport

/// A value with a property of each kind that a row can contain.
struct CodedSample: Codable, Hashable, Sendable {
    enum Shade: String, Codable { case light, dark }

    enum Form: Codable, Hashable {
        case circle(radius: Double)
        case polygon([Int])
    }

    struct Part: Codable, Hashable {
        var name: String
        var parts: [Part]?
    }

    var id = 0
    var text = ""
    var flag = false
    var double = 0.0
    var float: Float = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint: UInt = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var data = Data()
    var bytes: [UInt8] = []
    var identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var url = URL(string: "https://example.com/books?page=2")
    var shade = Shade.light
    var form = Form.circle(radius: 1)
    var numbers: [Int] = []
    var optionals: [Int?] = []
    var names: [String: Int] = [:]
    var pairs: [Int: String] = [:]
    var missing: String?
    var part: Part?

    static let samples: [CodedSample] = [
        CodedSample(),
        CodedSample(
            id: .max,
            text: String(repeating: "ä€😀\0", count: 100),
            flag: true,
            double: -.infinity,
            float: 1.5,
            int8: -1,
            int16: .min,
            int32: .min,
            int64: .min,
            uint: .max,
            uint8: 255,
            uint16: .max,
            uint32: .max,
            uint64: .max,
            date: Date(timeIntervalSinceReferenceDate: 1.1e9),
            data: Data(0..<200) + Data(repeating: 7, count: 200),
            bytes: [0, 128, 255],
            url: nil,
            shade: .dark,
            form: .polygon([-1, 127, 128, 70_000, 5_000_000_000]),
            numbers: Array(-300..<300),
            optionals: [nil, 1, nil],
            names: ["": 1, String(repeating: "k", count: 300): 2],
            pairs: [-1: "x", 300: ""],
            missing: "present",
            part: Part(name: "a", parts: [Part(name: "b", parts: []), Part(name: "c")])
        ),
    ]
}
