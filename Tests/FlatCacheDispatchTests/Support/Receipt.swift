/// An object whose end shows that whoever has held it has let go of it.
final class Receipt: Sendable {}
