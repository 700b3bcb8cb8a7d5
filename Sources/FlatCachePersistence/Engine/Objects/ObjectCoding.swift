import Foundation

struct ObjectCoding<Object: Sendable>: Sendable {
    let encode: @Sendable (Object) throws -> Data
    let decode: @Sendable (Data) throws -> Object

    init<Form: Transformer>(_ transformer: Form) where Form.Input == Object, Form.Output == Data {
        encode = transformer.transformValue
        decode = transformer.untransformValue
    }

    func content(of object: Object?) throws -> ObjectContent {
        try object.map { .data(try encode($0)) } ?? .absent
    }

    func object(from content: ObjectContent) throws -> Object? {
        switch content {
        case .absent: nil
        case .data(let data): try decode(data)
        case .foreign(let value): throw ObjectContent.mismatch(value)
        }
    }
}
