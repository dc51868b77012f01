"""Traits, and what implies each without naming it: (subject, traits, signs)."""

Meaning = tuple[str, tuple[str, ...], tuple[str, ...]]

# Two lines each: subject and two opposite traits; what implies the one and the other.
LINES = """\
The soup|hot|cold
she burned her tongue at the first spoonful|he asked to have it warmed up
The street|wet|dry
cyclists slid on the asphalt and splashed each other|dust rose behind every cart
The boy|tired|rested
he fell asleep over his homework|he woke up humming and ran all day
The exam|easy|hard
nearly everybody got full marks|most of the class had to sit it twice
The suitcase|heavy|light
it took two porters to lift it|a child swung it with one finger
The hall|crowded|empty
people stood on chairs to see anything|their steps echoed between the seats
The joke|funny|dull
the whole table roared with laughter|someone yawned and changed the subject
The knife|sharp|blunt
it went through the rope in one stroke|it only squashed the tomato
The shop|open|closed
customers were carrying bags out of the door|the shutters were down and the lights off
The dog|friendly|fierce
it licked the hands of all who came|the postman refused to enter the yard
The film|long|short
they had to take two breaks to get through it|it ended before the popcorn was gone
The coat|cheap|costly
she paid for it with pocket change|he had to borrow from the bank to buy it
The road|straight|winding
you could see the next town from its start|passengers felt sick from all the turns
The milk|fresh|sour
everybody asked for a second glass|she poured it down the sink after a sip
The teacher|strict|lenient
one minute late meant an hour after class|pupils handed in essays whenever they liked
The lake|deep|shallow
divers never reached the bottom|even the toddlers could stand anywhere
The night|bright|dark
they read the map by the moon alone|he could hardly see his own hand
The witness|honest|lying
every detail was later confirmed by the cameras|the cameras showed quite another story
The bread|new|stale
it was still steaming from the oven|it had to be soaked before one could chew
The river|calm|wild
the swans slept on its mirror|two boats were smashed against the rocks
The singer|famous|unknown
crowds waited at her hotel for days|the doorman asked her who she was
The bed|soft|firm
he sank in so far that he struggled to get up|it felt like lying on a table
The guest|early|late
the hosts were still in their aprons|the dessert had already been eaten
The room|warm|chilly
everyone took off their jumpers|they could see their breath
The engine|loud|quiet
neighbours complained at each start|one had to touch it to know it was running
The tower|tall|low
its top was lost in the clouds|you could touch its roof from the ground
The medicine|bitter|sweet
children spat it out with a grimace|children begged for another spoon
The argument|clear|muddled
listeners nodded and could repeat each step|listeners asked what the point had been
The queue|long|brief
it went twice around the block|there was only one man before her
The team|winning|losing
the fans sang and lit fireworks|the fans left well before the whistle
The shirt|clean|dirty
it came straight from the washing line|mud and gravy covered its front
The box|full|bare
one more sock and the lid would burst|nothing rattled when she shook it
The clerk|polite|rude
he held the door and wished them well|he shouted at them to get lost
The glass|whole|cracked
it rang like a bell when tapped|water dripped from its side
The answer|right|mistaken
the quizmaster handed over the prize|the quizmaster shook her head and moved on
The trip|safe|dangerous
grandparents brought the babies along|only half of the party came home
""".splitlines()


def read_meaning(first: str, second: str) -> Meaning:
    """One entry from its two lines."""
    subject, *traits = first.split("|")
    return subject, tuple(traits), tuple(second.split("|"))


MEANINGS = [read_meaning(*pair) for pair in zip(LINES[::2], LINES[1::2], strict=True)]
