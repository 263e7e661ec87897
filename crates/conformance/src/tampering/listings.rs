//! Listings that lie: out of order, doubled, with names missing, with names that nothing stands behind.

use memoseal_core::{Depth, Vault};
use memoseal_testkit::{On, Op};

use super::{
    attack::Sign,
    scene::{ALICE, HEAD, Reading, Scene, open, with_witness},
};
use crate::{
    Failure, Place,
    bucket::{Clients, Name, generation_name},
    check,
};

/// A process whose listings lie from now on.
struct Lied<'a> {
    scene: &'a Scene,
    clients: Clients,
}

impl<'a> Lied<'a> {
    fn to(scene: &'a Scene) -> Self {
        Self { scene, clients: Clients::of(&scene.bucket) }
    }

    /// Begins a lie about all listings of the vault that lie below (or hold) what is called `below`.
    fn about(&self, below: &'static str) -> On<'_> {
        self.clients.rest.on(Op::List).always().path(move |listed| listed.as_ref().contains(below))
    }

    async fn vault(&self) -> memoseal_core::Result<Vault> {
        self.clients.bucket().open().await
    }

    async fn read(&self) -> Reading {
        match self.vault().await {
            Ok(vault) => self.scene.read(&vault).await,
            Err(error) => Reading::failed(error),
        }
    }

    /// Whoever starts now is told so.
    async fn is_told(&self, what: &str, sign: Sign) -> Result<(), Failure> {
        let reading = self.read().await;
        reading.is_not_wrong().map_err(|failure| failure.about(what))?;
        let told = reading.errors.iter().map(Sign::of).collect::<Vec<_>>();
        check!(!told.is_empty(), "{what}: nothing is noticed");
        check!(told.iter().all(|told| *told == Some(sign)), "{what}: {:?} instead of {sign:?}", reading.errors);
        Ok(())
    }

    /// What an inspection makes of it: how many findings.
    async fn findings(&self, vault: &Vault) -> Result<usize, Failure> {
        let inspection = vault.inspect(Depth::Sections, |_, _| {}).await;
        let inspection = inspection.map_err(|error| Failure::new(format!("an inspection fails: {error}")))?;
        Ok(inspection.findings.len())
    }
}

pub(crate) async fn a_listing_out_of_order_is_refused(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    for seed in 1..4 {
        let lied = Lied::to(&scene);
        lied.about("/log/").unordered(seed);
        lied.is_told("commits in no order", Sign::Unsuitable).await?;
    }
    // An inspection reads a listing to its end and takes the names as they come.
    let lied = Lied::to(&scene);
    let vault = lied.vault().await?;
    lied.clients.rest.on(Op::List).always().unordered(7);
    check!(lied.findings(&vault).await? == 0, "an inspection finds something in a listing out of order");
    scene.is_whole().await
}

pub(crate) async fn a_listing_with_doubled_names_is_refused(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    for below in ["/log/", "/keyring", "vault"] {
        let lied = Lied::to(&scene);
        let vault = lied.vault().await?;
        lied.about(below).doubled();
        lied.is_told(below, Sign::Unsuitable).await?;
        lied.clients.mend();
        lied.clients.rest.on(Op::List).always().doubled();
        check!(lied.findings(&vault).await? > 0, "an inspection finds nothing in a doubled listing");
    }
    scene.is_whole().await
}

/// What a listing leaves out is asked for by its name, or noticed.
pub(crate) async fn a_listing_that_hides_names_hides_nothing(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    let hidden = |lied: &Lied<'_>, names: &[String]| {
        for name in names {
            lied.clients.rest.on(Op::List).always().missing(scene.bucket.path(name));
        }
    };
    let commits = (1..=HEAD).map(|seq| scene.commit(ALICE, seq)).collect::<Result<Vec<_>, _>>()?;
    // Commits: in the middle, the newest, all of them. Their numbers are asked for.
    for names in [&commits[1..3], &commits[3..], &commits[..]] {
        let lied = Lied::to(&scene);
        hidden(&lied, names);
        lied.read().await.is_right().map_err(|failure| failure.about(format!("without {names:?}")))?;
    }
    let lied = Lied::to(&scene);
    hidden(&lied, &commits[1..3]);
    let vault = lied.vault().await?;
    check!(lied.findings(&vault).await? > 0, "an inspection finds nothing where commits are hidden");

    // From a machine that has seen them the newest cannot be hidden.
    let machine = with_witness(std::sync::Arc::new(super::witnessed::Memory::default()));
    open(&scene.bucket.open_with(machine.clone()).await?, ALICE).await?.settle().await;
    let lied = Lied::to(&scene);
    hidden(&lied, &commits[4..]);
    let opened = open(&lied.clients.bucket().open_with(machine).await?, ALICE).await;
    let told = matches!(&opened, Err(error) if Sign::of(error) == Some(Sign::RolledBack));
    check!(told, "a machine that has seen it: {:?}", opened.map(|store| store.seq()));

    // A log without its keyring is never a new user, whether the log is listed or not.
    let keyring = scene.keyring(ALICE)?;
    for more in [&[][..], &commits] {
        let lied = Lied::to(&scene);
        hidden(&lied, &[std::slice::from_ref(&keyring), more].concat());
        lied.is_told("without the keyring", Sign::Damaged).await?;
    }
    let lied = Lied::to(&scene);
    hidden(&lied, &[scene.name(Name::is_header)?]);
    lied.is_told("without the header", Sign::Damaged).await?;
    scene.is_whole().await
}

/// Names that nothing stands behind.
pub(crate) async fn a_listing_with_extra_names_is_noticed(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    let log = scene.log(ALICE)?;
    let (store, _) = log.rsplit_once('/').ok_or_else(|| Failure::new("a log without a life"))?;
    let keyrings = scene.keyring(ALICE)?;
    let (keyrings, _) = keyrings.rsplit_once('/').ok_or_else(|| Failure::new("a keyring without a folder"))?;
    let newer_user = format!("{store}/fffffffffffffffd.fffffffffffffffe/fffffffffffff/ffe");
    let newer_store = format!("{store}/fffffffffffffffe.fffffffffffffffd/fffffffffffff/ffe");
    let names = [
        ("a commit behind the head", scene.commit(ALICE, HEAD + 1)?),
        ("a commit far away", scene.commit(ALICE, u64::MAX - 1)?),
        ("a checkpoint behind the head", format!("{}.checkpoint", scene.commit(ALICE, HEAD + 1)?)),
        ("a newer life of the user", newer_user),
        ("a newer life of the store", newer_store),
        ("a newer keyring", generation_name(keyrings, 2)),
        ("a newer header", generation_name("vault", 2)),
    ];
    for (what, name) in names {
        let lied = Lied::to(&scene);
        let vault = lied.vault().await?;
        let path = scene.bucket.path(&name);
        let below = path.clone();
        let lies = lied.clients.rest.on(Op::List).always();
        lies.path(move |listed| below.prefix_matches(listed)).extra(path);
        lied.is_told(what, Sign::Damaged).await?;
        // What an opened vault's header was is not looked at again.
        let found = lied.findings(&vault).await?;
        check!(found > 0 || name.starts_with("vault/"), "{what}: an inspection finds nothing");
    }
    // Foreign names are passed over by readers and found by an inspection, unless they fill the first page.
    for (name, count) in [("!notes", 1), ("!notes", 1_000)] {
        let lied = Lied::to(&scene);
        for n in 0..count {
            let path = scene.bucket.path(&format!("{store}/{name}{n:04}"));
            let below = path.clone();
            let lies = lied.clients.rest.on(Op::List).always();
            lies.path(move |listed| below.prefix_matches(listed)).extra(path);
        }
        if count == 1 {
            lied.read().await.is_right()?;
            check!(lied.findings(&lied.vault().await?).await? > 0, "an inspection finds no foreign name");
        } else {
            lied.is_told("a page of foreign names", Sign::Damaged).await?;
        }
    }
    scene.is_whole().await
}

/// What somebody else has put there under names that no vault has, or where an object can be and none was.
pub(crate) async fn what_somebody_else_put_there_is_found(place: &dyn Place) -> Result<(), Failure> {
    let scene = Scene::of(place, &[ALICE]).await?;
    let log = scene.log(ALICE)?;
    for name in ["notes.txt", "users/x", &format!("{log}/fffffffffffff/xyz"), &format!("{log}/fffffffffffff/ffa.old")] {
        let edits = vec![(name.to_owned(), Some("hello".into()))];
        scene.bucket.apply(&edits).await?;
        super::attack::is_found(&scene.bucket.open().await?, name).await?;
        scene.cold().await.is_right()?;
        scene.bucket.apply(&scene.undo(&edits)).await?;
    }
    let planted = vec![(scene.commit(ALICE, 1 << 40)?, Some(scene.bytes(&scene.commit(ALICE, 1)?)?.clone()))];
    scene.attack("a commit far away", planted).must_be_noticed().await?;
    scene.is_whole().await
}
