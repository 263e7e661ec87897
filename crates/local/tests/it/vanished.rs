//! A vault's folder that goes away under a running process.

use std::io;

use object_store::ObjectStoreExt as _;

use super::*;

/// That every operation of `store` fails and says that the folder is gone, and that `root` stays as it is.
async fn assert_gone(store: &dyn ObjectStore, root: &Path) {
    let before = fs::read_dir(root).map(|entries| entries.count()).ok();
    let key = &Location::from("log/fff");
    let errors = [
        create(store, "log/fff", "").await.unwrap_err(),
        store.put(key, "".into()).await.unwrap_err(),
        store.get(key).await.unwrap_err(),
        store.get_range(key, 0..1).await.unwrap_err(),
        store.get_ranges(key, &[0..1, 5..6]).await.unwrap_err(),
        store.head(key).await.unwrap_err(),
        store.delete(key).await.unwrap_err(),
        store.copy(key, &"copy".into()).await.unwrap_err(),
        store.rename(key, &"copy".into()).await.unwrap_err(),
        store.put_multipart(key).await.unwrap_err(),
        names(store, "log").await.unwrap_err(),
        store.list_with_offset(None, key).try_next().await.unwrap_err(),
        store.list_with_delimiter(None).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(ours(&error), Some(Error::Gone { .. })), "{error}");
        assert_eq!(io_kind(&error), Some(io::ErrorKind::NotFound), "{error}");
        assert!(error.to_string().contains("gone away"), "{error}");
    }
    assert_eq!(fs::read_dir(root).map(|entries| entries.count()).ok(), before, "nothing was made");
}

#[tokio::test]
async fn a_deleted_folder_is_not_made_again() {
    let (store, folder) = fresh();
    create(&*store, "log/fff", "").await.unwrap();
    fs::remove_dir_all(folder.path()).unwrap();
    assert_gone(&*store, folder.path()).await;
}

#[cfg(unix)]
#[tokio::test]
async fn another_folder_at_its_path_is_not_taken_for_it() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("memory");
    fs::create_dir(&root).unwrap();
    let store = store(&root);
    create(&*store, "log/fff", "").await.unwrap();
    fs::rename(&root, temp.path().join("moved")).unwrap();
    assert_gone(&*store, &root).await;
    fs::create_dir(&root).unwrap();
    assert_gone(&*store, &root).await;
    fs::remove_dir(&root).unwrap();
    fs::write(&root, "").unwrap();
    assert_gone(&*store, &root).await;
    fs::remove_file(&root).unwrap();
    fs::rename(temp.path().join("moved"), &root).unwrap();
    assert_eq!(names(&*store, "").await.unwrap(), ["log/fff"], "moved back, it is the vault again");
}

#[tokio::test]
async fn a_missing_object_is_just_not_found_while_the_folder_is_there() {
    let (store, _folder) = fresh();
    let error = store.get(&"log/fff".into()).await.unwrap_err();
    assert!(matches!(error, object_store::Error::NotFound { .. }), "{error}");
}
