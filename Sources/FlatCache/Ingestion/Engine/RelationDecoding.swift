/// The decoding of one reference, in one of the shapes in which documents contain related entities.
///
/// A failed attempt costs an error with its description, so the attempts begin with the shape of
/// the last reference to the same type.
@usableFromInline
struct RelationDecoding<Value: Identifiable & Sendable>
where Value.ID: Decodable & Sendable {
    private typealias Object = KeyedDecodingContainer<AnyCodingKey>

    private let decoder: any Decoder
    /// The scope that receives whole entities, or `nil` outside any scope.
    private let ingestion: Ingestion?

    @usableFromInline
    init(_ decoder: any Decoder, _ ingestion: Ingestion?) {
        self.decoder = decoder
        self.ingestion = ingestion
    }

    /// Returns the identifier, and passes a whole entity on to the scope.
    func decode() throws -> Value.ID {
        // A scope that has seen bare identifiers alone needs no lookup.
        let known = ingestion?.hasFoundObjects == true ? Relation<Value>(in: ingestion) : nil
        guard let relation = known, relation.shape != .identifier else {
            do {
                return try identifier()
            } catch {
                return try object(known ?? Relation(in: ingestion), orThrow: error)
            }
        }
        if relation.shape == .entity { return try entityFirst(relation) }
        guard let object = object() else { return try identifierAlone(relation) }
        return try self.object(object, relation, mayBeIdentifier: true)
    }

    // MARK: Attempts

    /// Decodes data that can only be a bare identifier.
    private func identifierAlone(_ relation: Relation<Value>) throws -> Value.ID {
        do {
            let id = try identifier()
            relation.remember(.identifier)
            return id
        } catch {
            throw describing(error)
        }
    }

    private func entityFirst(_ relation: Relation<Value>) throws -> Value.ID {
        if isDecodableFromIdentifier(relation), let object = object(),
            let id = try reference(object, relation)
        {
            return id
        }
        do {
            return try entity(relation)
        } catch {
            return try recover(from: error, relation)
        }
    }

    /// Decodes data that isn't a whole entity, or throws the error of the attempt to decode one.
    @usableFromInline
    func recover(from error: any Error, _ relation: Relation<Value>) throws -> Value.ID {
        guard let object = object() else { return try identifierAlone(relation) }
        if let id = try reference(object, relation) { return id }
        guard let id = try? identifierAlone(relation) else { throw naming(error) }
        return id
    }

    /// Decodes an object after an attempt to decode an identifier.
    private func object(
        _ relation: Relation<Value>,
        orThrow error: any Error
    ) throws -> Value.ID {
        guard let object = object() else { throw describing(error) }
        if !relation.isDecodable, !object.contains(.id) { throw describing(error) }
        return try self.object(object, relation, mayBeIdentifier: false)
    }

    /// Decodes an object that is a reference, a whole entity or an identifier.
    private func object(
        _ object: Object,
        _ relation: Relation<Value>,
        mayBeIdentifier: Bool
    ) throws -> Value.ID {
        if let id = try reference(object, relation) { return id }
        do {
            // If the type can't be decoded, the other properties of the object are ignored.
            guard relation.isDecodable else {
                let id = try object.decode(Value.ID.self, forKey: .id)
                reportUndecodableEntity(id)
                return id
            }
            return try entity(relation)
        } catch {
            guard mayBeIdentifier, let id = try? identifierAlone(relation) else {
                throw naming(error)
            }
            return id
        }
    }

    /// Returns whether an object that contains only an `id` could be decoded as a whole entity.
    ///
    /// For example, `{"id": 7}` decodes as an author if all other properties are optional. It means
    /// the identifier nevertheless, so the keys of each object must be counted. That takes as long
    /// as decoding a small object. If the type requires a `name`, decoding `{"id": 7}` fails, and
    /// no keys need to be counted. The method also returns `true` if this object doesn't show which
    /// of the two is the case. An object without the key `id` shows the second case, if the type
    /// requires another key and doesn't look for an `id`.
    private func isDecodableFromIdentifier(_ relation: Relation<Value>) -> Bool {
        if let known = relation.isDecodableFromIdentifier { return known }
        if object() == nil { return false }
        let outcome = IdentifierDecoder.Outcome()
        var isDecodable = true
        defer { relation.rollBack() }
        do {
            _ = try relation.decode(from: IdentifierDecoder(base: decoder, outcome: outcome))
        } catch {
            if !outcome.isUnclear {
                // Another error depends on this object's values, or on its place in the document.
                guard IdentifierDecoder.isMissingKey(error) else { return true }
                isDecodable = outcome.isIdentifierMissed
            }
        }
        relation.remember(isDecodableFromIdentifier: isDecodable)
        return isDecodable
    }

    // MARK: Shapes

    private func identifier() throws -> Value.ID {
        try decoder.singleValueContainer().decode(Value.ID.self)
    }

    private func object() -> Object? {
        try? decoder.container(keyedBy: AnyCodingKey.self)
    }

    /// Returns the identifier in an object that contains nothing else, or `nil` if the object
    /// contains anything else.
    private func reference(_ object: Object, _ relation: Relation<Value>) throws -> Value.ID? {
        guard object.contains(.id), object.allKeys.count == 1 else { return nil }
        do {
            let id = try object.decode(Value.ID.self, forKey: .id)
            relation.remember(.reference)
            return id
        } catch {
            throw naming(error)
        }
    }

    private func entity(_ relation: Relation<Value>) throws -> Value.ID {
        do {
            let value = try relation.decode(from: decoder)
            var relation = relation
            relation.collect(value)
            return value.id
        } catch {
            relation.rollBack()
            throw error
        }
    }

    // MARK: Errors

    private func reportUndecodableEntity(_ id: Value.ID) {
        ingestion?.core.report(
            ReportedProblem(.undecodableReference, of: Value.self),
            of: CacheKey(Value.self, id: id),
            """
            A response contains an object with more than an id at a \(Related<Value>.self), and \
            only its identifier was kept. To store the entity, make \(Value.self) Decodable, \
            without isolation to an actor.
            """
        )
    }

    /// Adds the accepted shapes to the description of an error.
    private func describing(_ error: any Error) -> any Error {
        let shapes = """
            \(Related<Value>.self) is decoded from an identifier (\(Value.ID.self)), an object \
            that contains only an id, or a whole \(Value.self).
            """
        return (error as? DecodingError)?.prefixed(shapes + " ") ?? error
    }

    /// Adds the entity's type to the description of an error, unless the error names an entity
    /// inside this one.
    private func naming(_ error: any Error) -> any Error {
        guard let error = error as? DecodingError else { return error }
        if error.context?.debugDescription.hasPrefix("Related<") ?? true { return error }
        return error.prefixed("\(Related<Value>.self): ")
    }
}

extension DecodingError {
    package var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// Returns the error with a prefix before its description.
    package func prefixed(_ prefix: String) -> DecodingError {
        func prefixed(_ context: Context) -> Context {
            Context(
                codingPath: context.codingPath,
                debugDescription: prefix + context.debugDescription,
                underlyingError: context.underlyingError
            )
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, prefixed(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, prefixed(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, prefixed(context))
        case .dataCorrupted(let context): return .dataCorrupted(prefixed(context))
        @unknown default: return self
        }
    }
}
