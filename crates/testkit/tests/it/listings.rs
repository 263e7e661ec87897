//! Listings can be falsified.

use memoseal_testkit::{Op, errors};

use super::*;

async fn filled() -> FaultStore {
    let (store, memory) = faulty();
    for n in 0..20 {
        put(&*memory, &format!("p/{n:02}"), "x").await.unwrap();
    }
    store
}

#[tokio::test]
async fn unordered_is_the_same_for_the_same_seed() {
    let store = filled().await;
    let ordered = names(&store, "p").await.unwrap();
    store.on(Op::List).times(2).unordered(7);
    let first = names(&store, "p").await.unwrap();
    assert_ne!(first, ordered);
    assert_eq!(first, names(&store, "p").await.unwrap());
    let mut sorted = first;
    sorted.sort();
    assert_eq!(sorted, ordered);
    assert_eq!(names(&store, "p").await.unwrap(), ordered);
}

#[tokio::test]
async fn two_entries_never_keep_their_order() {
    let (store, memory) = faulty();
    put(&*memory, "a", "").await.unwrap();
    put(&*memory, "b", "").await.unwrap();
    for seed in 0..20 {
        store.on(Op::List).unordered(seed);
        assert_eq!(names(&store, "").await.unwrap(), ["b", "a"], "seed {seed}");
        store.clear();
    }
}

#[tokio::test]
async fn entries_can_be_doubled_missing_extra_or_cut_off() {
    let store = filled().await;
    store.on(Op::List).doubled();
    store.on(Op::List).nth(2).missing("p/05");
    store.on(Op::List).nth(3).extra("p/055");
    store.on(Op::List).nth(4).cut_after(3);
    let doubled = names(&store, "p").await.unwrap();
    assert_eq!((doubled.len(), &doubled[0], &doubled[1]), (40, &"p/00".to_owned(), &"p/00".to_owned()));
    let missing = names(&store, "p").await.unwrap();
    assert_eq!((missing.len(), missing.contains(&"p/05".to_owned())), (19, false));
    let extra = names(&store, "p").await.unwrap();
    assert_eq!((extra.len(), extra[6].as_str()), (21, "p/055"));
    assert_eq!(names(&store, "p").await.unwrap(), ["p/00", "p/01", "p/02"]);
}

#[tokio::test]
async fn a_listing_can_fail_and_can_be_held() {
    let store = filled().await;
    store.on(Op::List).path_is("p").fail_before(errors::unavailable());
    names(&store, "p").await.unwrap_err();

    let gate = store.on(Op::List).path_is("p").hold();
    let reader = store.clone();
    let task = tokio::spawn(async move { names(&reader, "p").await });
    gate.reached().await;
    gate.release();
    assert_eq!(task.await.unwrap().unwrap().len(), 20);
}

#[tokio::test]
async fn listings_from_an_offset_and_by_folder_obey_too() {
    let store = filled().await;
    store.on(Op::List).times(2).missing("p/15");
    let rest = store.list_with_offset(None, &"p/10".into()).try_collect::<Vec<_>>().await.unwrap();
    assert_eq!(rest.len(), 8);
    let folder = store.list_with_delimiter(Some(&"p".into())).await.unwrap();
    assert_eq!(folder.objects.len(), 19);
}
