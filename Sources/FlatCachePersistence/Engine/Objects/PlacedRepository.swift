/// A repository whose data is under a key of a storage, which other clients may use as well.
protocol PlacedRepository: ObjectRepository {
    func makePlace() -> any PersistedPlace<ObjectContent>
}
