extension DecodingError {
    var details: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
