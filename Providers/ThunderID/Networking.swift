// Re-exported, so that an app that sends requests with the client's tokens needs no other import.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
