// Requests and responses are part of the interface. Where Foundation has them in a module of their own, that one comes with
// this one.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
