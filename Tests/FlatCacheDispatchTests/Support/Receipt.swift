/// An object whose deallocation shows that its holder has released it.
final class Receipt: Sendable {}
