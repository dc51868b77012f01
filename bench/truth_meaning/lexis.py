"""Pairs that words join which are not the same: synonyms, antonyms, hypernyms."""

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import Rng, coin, first_of, phrase_list, pick, picks
from bench.truth_fresh.grammar import word_list as words
from bench.truth_fresh2.planted import plant_need
from bench.truth_fresh2.words import CITIES, NAMES, OBJECTS
from bench.truth_meaning.pairs import (
    ITEMS,
    PAIR,
    fill_form,
    judge,
    pair,
    plant_joint,
    read_form,
)

PAIRS = [
    text.split(":")
    for text in words(
        "sofa:couch car:automobile boat:vessel coat:jacket shop:store stone:rock "
        "road:street forest:woods house:home child:kid doctor:physician gift:present "
        "picture:image sickness:disease lawyer:attorney film:movie rubbish:garbage "
        "cash:money thief:burglar beach:shore rabbit:bunny pants:trousers sea:ocean "
        "taxi:cab hat:cap plane:aircraft bike:bicycle autumn:fall lift:elevator "
        "carpet:rug cemetery:graveyard prison:jail hill:mound pupil:student "
        "teacher:instructor author:writer king:monarch infant:baby wedding:marriage "
        "meal:dinner cup:mug bag:sack rope:cord knife:blade gun:pistol fight:battle "
        "journey:trip error:mistake reply:answer job:occupation speech:address "
        "soldier:warrior priest:clergyman doorway:entrance garden:yard flower:blossom "
        "song:tune pal:friend donkey:mule pig:hog snake:serpent cook:chef "
        "sweets:candy biscuit:cookie soil:earth flat:apartment lorry:truck fuel:petrol "
        "spectacles:glasses timber:lumber bucket:pail basement:cellar award:prize "
        "custom:tradition perfume:scent crowd:throng rumour:gossip sorrow:grief "
        "anger:rage joy:delight fear:dread riches:wealth"
    )
]
TWINS = {a: b for both in PAIRS for a, b in (both, both[::-1])}
DREAMED = (
    "{a} spoke of a {x} in {c}.",
    "In {c}, {a} thought about the {x}.",
    "The essay of {a} from {c} is about a {x}.",
)


def synonyms(rng: Rng, part: str) -> dict:
    """A noun of the claim, a synonym of it or of another noun in the evidence."""
    one, two = (pick(rng, some) for some in picks(rng, PAIRS, 2))
    holds = coin(rng)
    slots = {"a": pick(rng, NAMES), "c": pick(rng, CITIES)}
    fact = fill_form(rng, DREAMED, x=TWINS[one if holds else two], **slots)
    return pair(rng, fill_form(rng, DREAMED, x=one, **slots), fact, judge(holds))


def slots_in(row: Row, forms: tuple[str, ...]) -> list[str]:
    """What fills the slot x in the claim and in the evidence."""
    return [read_form(forms, row[text])[1]["x"] for text in ("claim", "passage")]


def read_twins(row: Row) -> str:
    """The label by the list of synonyms."""
    one, two = slots_in(row, DREAMED)
    return judge(TWINS[one] == two)


SCALES = [
    [side.split() for side in text.split("/")]
    for text in phrase_list(
        "happy cheerful joyful/sad gloomy sorrowful|rich wealthy affluent/poor "
        "penniless needy|brave bold fearless/timid cowardly fearful|clever smart "
        "bright/stupid dim foolish|polite courteous civil/rude insolent cheeky|honest "
        "truthful sincere/deceitful lying dishonest|lazy idle sluggish/diligent "
        "industrious hardworking|thin skinny slender/fat plump stout|ill sick "
        "unwell/healthy fit well|young youthful juvenile/old aged elderly|proud "
        "arrogant haughty/humble modest meek|friendly kind amiable/hostile unfriendly "
        "nasty|calm quiet serene/nervous agitated jittery|generous giving "
        "charitable/stingy mean miserly|strong sturdy muscular/weak feeble frail|"
        "famous renowned celebrated/unknown obscure nameless|talkative chatty "
        "garrulous/silent taciturn speechless|drunk tipsy intoxicated/sober abstinent "
        "dry|awake alert sleepless/asleep dozing slumbering|guilty culpable "
        "blameworthy/innocent blameless faultless|tidy neat orderly/messy untidy "
        "sloppy|late tardy overdue/early punctual prompt|tall lanky towering/short "
        "small tiny|cruel brutal ruthless/gentle tender merciful|beautiful pretty "
        "handsome/ugly hideous unsightly"
    )
]
SIDES = [side for scale in SCALES for side in scale]
WAS = "{a} of {c} was {x}.", "{a} looked {x} in {c}.", "People in {c} called {a} {x}."


def antonyms(rng: Rng, part: str) -> dict:
    """A quality in the claim; a synonym or an antonym of it in the evidence."""
    sides = pick(rng, SCALES)[:: pick(rng, (1, -1))]
    one, two = picks(rng, range(3), 2)
    holds = coin(rng)
    slots = {"a": pick(rng, NAMES), "c": pick(rng, CITIES)}
    fact = fill_form(rng, WAS, x=sides[0 if holds else 1][two], **slots)
    return pair(rng, fill_form(rng, WAS, x=sides[0][one], **slots), fact, judge(holds))


def read_sides(row: Row) -> str:
    """The label by whether both qualities are on one side."""
    one, two = slots_in(row, WAS)
    return judge(any(one in side and two in side for side in SIDES))


CLASSES = {
    "bird": words("sparrow robin eagle swan pigeon crow owl heron"),
    "fish": words("trout salmon carp herring cod pike tuna eel"),
    "insect": words("beetle wasp ant cricket moth mosquito fly bee"),
    "tree": words("oak birch maple willow pine beech poplar elm"),
    "flower": words("rose tulip daisy lily orchid daffodil violet poppy"),
    "fruit": words("apple banana cherry mango plum grape peach lemon"),
    "vegetable": words("carrot cabbage onion leek spinach turnip broccoli beetroot"),
    "tool": words("hammer saw drill spanner pliers chisel screwdriver wrench"),
    "weapon": words("sword rifle dagger cannon spear pistol musket bayonet"),
    "vehicle": words("truck van bus tractor motorbike tram taxi car"),
    "drink": words("coffee tea beer wine lemonade whisky cocoa brandy"),
    "garment": words("shirt skirt trousers sweater coat blouse dress jacket"),
    "metal": words("iron copper silver zinc lead gold nickel aluminium"),
    "disease": words("measles malaria cholera influenza mumps typhus rabies asthma"),
    "instrument": words("violin flute trumpet cello piano harp clarinet guitar"),
    "game": words("chess poker bingo dominoes draughts bridge backgammon charades"),
    "building": words("church castle barn school factory hospital museum palace"),
    "relative": words("aunt cousin nephew grandmother uncle sister brother niece"),
    "dance": words("waltz tango polka foxtrot samba minuet ballet rumba"),
    "language": words("Dutch Greek Polish Arabic Finnish Latin Turkish Danish"),
    "planet": words("Mars Venus Saturn Jupiter Neptune Mercury Uranus Pluto"),
    "jewel": words("diamond ruby emerald sapphire pearl opal topaz garnet"),
    "reptile": words("lizard crocodile snake tortoise alligator gecko python iguana"),
    "symptom": words("fever cough headache rash sneezing nausea itch cramp"),
}
DREW = (
    "{a} once drew something in {c}: {x}.",
    "The card that {a} from {c} took says {x}.",
    "In {c}, {a} wrote an essay under the heading {x}.",
)


def hypernyms(rng: Rng, part: str) -> dict:
    """A class in the claim; a member of it or of another class in the evidence."""
    one, two = picks(rng, [*CLASSES], 2)
    holds = coin(rng)
    slots = {"a": pick(rng, NAMES), "c": pick(rng, CITIES)}
    member = pick(rng, CLASSES[one if holds else two])
    fact = fill_form(rng, DREW, x=member, **slots)
    return pair(rng, fill_form(rng, DREW, x=one, **slots), fact, judge(holds))


def read_class(row: Row) -> str:
    """The label by whether the evidence names a member of the class."""
    one, member = slots_in(row, DREW)
    return judge(member in CLASSES[one])


ROSE = words(
    "rose climbed soared increased grew jumped surged mounted swelled rocketed "
    "escalated expanded doubled ascended"
)
FELL = words(
    "fell dropped plunged declined shrank sank dwindled slumped tumbled dipped "
    "decreased plummeted halved dived"
)
PRICES = (
    "The price of {o} in {c} {x} under {a}.",
    "Under {a}, sales of {o} in {c} {x}.",
    "The number of {o} in {c} {x} in the days of {a}.",
)


def trends(rng: Rng, part: str) -> dict:
    """Up or down in both, by another word."""
    up, same = coin(rng), coin(rng)
    one, two = picks(rng, range(len(ROSE)), 2)
    sides = (ROSE, FELL) if up else (FELL, ROSE)
    slots = {
        "a": pick(rng, NAMES),
        "c": pick(rng, CITIES),
        "o": f"{pick(rng, OBJECTS)}s",
    }
    claim = fill_form(rng, PRICES, x=sides[0][one], **slots)
    fact = fill_form(rng, PRICES, x=sides[0 if same else 1][two], **slots)
    return pair(rng, claim, fact, judge(same))


def read_trends(row: Row) -> str:
    """The label by both directions."""
    one, two = slots_in(row, PRICES)
    return judge((one in ROSE) == (two in ROSE))


TASKS = dict(
    text.split(":")
    for text in phrase_list(
        "dentist:pulls out bad teeth|pilot:flies aircraft|baker:makes bread and cakes|"
        "tailor:sews suits|judge:passes sentence in court|nurse:looks after patients|"
        "teacher:instructs a class|farmer:grows wheat and milks cows|fisherman:casts "
        "nets at sea|barber:cuts hair and trims beards|miner:digs for coal|"
        "plumber:fixes leaking pipes|carpenter:works with wood and nails|"
        "librarian:lends out books|astronomer:watches the stars|butcher:chops up meat|"
        "florist:sells tulips and bouquets|actor:performs on stage|jockey:rides in "
        "races|banker:grants loans|electrician:installs wires and sockets|"
        "firefighter:puts out burning buildings|policeman:arrests criminals|"
        "waiter:serves dishes at tables|translator:turns texts into other languages|"
        "photographer:uses a camera|optician:tests eyes and fits lenses|cobbler:mends "
        "shoes|beekeeper:gathers honey|architect:designs houses|accountant:checks the "
        "ledgers|novelist:writes fiction|composer:puts notes to symphonies|"
        "gardener:mows lawns and prunes hedges|chauffeur:drives a limousine|vet:cures "
        "sick animals|pharmacist:sells medicine|blacksmith:shoes horses|"
        "sculptor:carves marble statues|midwife:delivers babies|locksmith:copies keys|"
        "lifeguard:saves swimmers|undertaker:buries the dead|brewer:produces beer|"
        "cashier:takes payment at a till"
    )
)
IS = "{a} from {c} is a {j}.", "In {c}, {a} has become a {j}.", "{a} of {c}: a {j}."
WORKS = "Every day, {a} {t} in {c}.", "In {c}, {a} {t}.", "{a} {t}, mostly in {c}."


def professions(rng: Rng, part: str) -> dict:
    """A profession in the claim; what people of it or of another do for a living."""
    one, two = picks(rng, [*TASKS], 2)
    holds = coin(rng)
    slots = {"a": pick(rng, NAMES), "c": pick(rng, CITIES)}
    fact = fill_form(rng, WORKS, t=TASKS[one if holds else two], **slots)
    return pair(rng, fill_form(rng, IS, j=one, **slots), fact, judge(holds))


def read_task(row: Row) -> str:
    """The label by whether the task is that of the profession."""
    job = first_of(row["claim"], [*TASKS])
    return judge(f" {TASKS[job]}" in str(row["passage"]))


PLEASANT = words(
    "delightful charming lovely splendid enjoyable superb marvellous wonderful "
    "excellent terrific agreeable delicious magnificent pleasant fabulous"
)
AWFUL = words(
    "dreadful horrible ghastly dismal tedious appalling atrocious terrible miserable "
    "lousy disagreeable disgusting frightful unpleasant abysmal"
)
VISITS = (
    "To {a} the visit to {c} was {x}.",
    "{a} had a {x} time in {c}.",
    "What {x} hours {a} had in {c}!",
)


def stated_moods(rng: Rng, part: str) -> dict:
    """A word of the claim decides; a synonym of it stands in the evidence."""
    mood = pick(rng, (PLEASANT, AWFUL))
    slots = {"a": pick(rng, NAMES), "c": pick(rng, CITIES)}
    one, two = picks(rng, mood, 2)
    fact = fill_form(rng, VISITS, x=two, **slots)
    label = "praise" if mood is PLEASANT else "blame"
    return pair(rng, fill_form(rng, VISITS, x=one, **slots), fact, label)


def read_mood(row: Row) -> str:
    """The label by the claim."""
    return "praise" if first_of(row["claim"], PLEASANT) else "blame"


def read_moods(row: Row) -> str:
    """The label by the evidence."""
    return "praise" if first_of(row["passage"], PLEASANT) else "blame"


DESIGNS = (
    plant_joint(
        "m25_synonyms",
        synonyms,
        read_twins,
        "Nouns that are synonyms, or of which each is of another pair.",
    ),
    plant_joint(
        "m26_antonyms",
        antonyms,
        read_sides,
        "Two qualities that are synonyms or antonyms, 150 words of 25 scales.",
    ),
    plant_joint(
        "m27_hypernyms",
        hypernyms,
        read_class,
        "A class and a member of it or of another, eight members of each class.",
    ),
    plant_joint(
        "m28_trends", trends, read_trends, "Up or down, by 28 verbs, never the same."
    ),
    plant_joint(
        "m29_professions",
        professions,
        read_task,
        "A profession and what it does, or what another does, in other words.",
    ),
    plant_need(
        "m30_stated_moods",
        stated_moods,
        ITEMS,
        PAIR,
        (read_moods, read_mood),
        (1, 1),
        "A word of the claim decides; so does a synonym of it in the evidence.",
    ),
)
