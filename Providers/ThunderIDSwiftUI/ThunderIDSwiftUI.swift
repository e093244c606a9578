// Re-exported, because the views use types of these libraries, so that an app needs only one import.
@_exported import ThunderID
